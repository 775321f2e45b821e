"""Values into words and marks on the screen. Nothing here asks a database."""
