"""The support desk's screens: outcomes in doubt, and the means to establish them."""
