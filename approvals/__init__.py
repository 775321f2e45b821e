"""What is allowed, by whom, for exactly what, until when."""
