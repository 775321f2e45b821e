"""The product's own settings, with what only a test may have."""

import os

os.environ.setdefault("SECRET_KEY", "tests-only-key-with-enough-characters-to-be-quiet-about")
os.environ.setdefault("ALLOWED_HOSTS", "127.0.0.1,localhost,testserver")
os.environ.setdefault("SWEEP_SECONDS", "1")
# Tests break the business system again and again on purpose; those about the circuit choose a number of their own.
os.environ.setdefault("CIRCUIT_SILENCES", "1000")

from config.settings import *  # noqa: F403

FAILPOINTS = True
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
ACCOUNT_RATE_LIMITS = False  # every test signs in from the same address
