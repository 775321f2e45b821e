"""The operators' screens: switches, queues and the business systems."""
