"""The product's settings, with one address more."""

from config.settings import *  # noqa: F403

ROOT_URLCONF = "benchmarks.bare_door"
