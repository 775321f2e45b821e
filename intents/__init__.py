"""What is done, tried, proven and reconciled."""
