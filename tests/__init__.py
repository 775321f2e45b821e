"""What the product promises, one test a fact."""
