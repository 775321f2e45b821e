"""The agents' door for a model's turn as it came: each call is proposed or refused, and answered in its shape."""
