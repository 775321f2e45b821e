"""The WSGI door for gunicorn."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()

from intents.pausing import at_start  # noqa: E402  the apps are there only now

at_start()  # an older database is paused before the first page is asked for
