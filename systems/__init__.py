"""Business systems as configuration: adapters, declared capabilities, observing a target."""
