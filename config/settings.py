"""Settings, all from the environment; config.checks refuses what a deployer must not get wrong."""

import re
from datetime import timedelta
from pathlib import Path

import environ
from csp.constants import NONE, SELF

env = environ.FileAwareEnv()
BASE_DIR = Path(__file__).resolve().parent.parent
VERSION = re.search(r"^## \[(\d[^\]]*)\]", (BASE_DIR / "CHANGELOG.md").read_text(), re.MULTILINE).group(1)  # type: ignore[union-attr]  # the changelog always holds a version

DEMO = env.bool("DEMO", default=False)
DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY = env.str("SECRET_KEY", default="")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=[])
BASE_URL = env.str("BASE_URL", default="http://127.0.0.1:8000")
SECURE = BASE_URL.startswith("https://")

INSTALLED_APPS = [
    "config.apps.HouseConfig",
    "journal",
    "tenancy",
    "systems",
    "proposals",
    "approvals",
    "intents",
    "rehearsals",
    "web",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "django_filters",
    "django_htmx",
    "template_partials",
    "csp",
    "django_structlog",
]
if DEMO:
    INSTALLED_APPS.append("demo")

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "web.preferences.PersonalLanguageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "django_structlog.middlewares.RequestMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "web.context.house",
            ]
        },
    }
]

# PostgreSQL only: row locks, partial unique indexes, triggers and constraints carry the promises.
DATABASES = {"default": env.db_url("DATABASE_URL", default="postgres://countersign@127.0.0.1:5432/countersign")}
DATABASES["default"] |= {
    "CONN_MAX_AGE": None,
    "CONN_HEALTH_CHECKS": True,
    # What the address asks for (sslmode, sslrootcert …) is kept; the time limits are not the address's to lift.
    "OPTIONS": {
        "connect_timeout": 5,
        **DATABASES["default"].get("OPTIONS", {}),
        "options": "-c statement_timeout=15s -c lock_timeout=8s -c idle_in_transaction_session_timeout=30s",
    },
}
ATOMIC_REQUESTS = False
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}

# Celery: early acknowledgement, ids only, no result backend, nothing timed by the broker.
REDIS_URL = env.str("REDIS_URL", default="redis://127.0.0.1:6379/0")
SWEEP_SECONDS = env.float("SWEEP_SECONDS", default=5.0)
# A business system that did not answer so many attempts in a row, within so long, is left alone for a while.
CIRCUIT_SILENCES = env.int("CIRCUIT_SILENCES", default=5)
CIRCUIT_WINDOW = timedelta(seconds=env.float("CIRCUIT_WINDOW_SECONDS", default=60.0))
CIRCUIT_COOL_OFF = timedelta(seconds=env.float("CIRCUIT_COOL_OFF_SECONDS", default=10.0))
# Where the journal ended, outside the database: a database older than this file hands nothing over.
EPOCH_FILE = env.str("EPOCH_FILE", default="")
# Hosts that webhooks may go to; private addresses only where the second is true, too.
WEBHOOK_HOSTS = env.list("WEBHOOK_HOSTS", default=[])
WEBHOOK_ALLOW_PRIVATE = env.bool("WEBHOOK_ALLOW_PRIVATE", default=False)
FAILPOINTS = False  # on in the tests only: intents.failpoints then obeys COUNTERSIGN_FAILPOINT
CELERY_BROKER_URL = REDIS_URL
CELERY_TASK_ACKS_LATE = False
CELERY_TASK_REJECT_ON_WORKER_LOST = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_DISABLE_PREFETCH = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_RESULT_BACKEND = None
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_PUBLISH_RETRY = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A frozen broker would block a signature for ever without these: a lost nudge is found by the sweep.
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "socket_timeout": 0.5,
    "socket_connect_timeout": 0.5,
    "max_retries": 0,
    # With early acknowledgement nothing is redelivered by age; longer than any task, should that ever be changed.
    "visibility_timeout": 3600,
}
CELERY_DB_REUSE_MAX = 100_000  # only together with config.celery.drop_dead_connections
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False
CELERY_TASK_DEFAULT_QUEUE = "handover"
CELERY_TASK_ROUTES = {
    "intents.tasks.open_intent": {"queue": "handover"},
    "intents.tasks.hand_over": {"queue": "handover"},
    "intents.tasks.cancel": {"queue": "handover"},
    "intents.tasks.probe": {"queue": "probes"},
    "intents.tasks.notify": {"queue": "probes"},
    "intents.tasks.sweep": {"queue": "sweeps"},
    "rehearsals.tasks.rehearse": {"queue": "rehearsals"},
}
CELERY_BEAT_SCHEDULE = {
    "sweep": {"task": "intents.tasks.sweep", "schedule": SWEEP_SECONDS, "options": {"expires": SWEEP_SECONDS * 2}},
    # Whether somebody listens to a queue in which there is nothing to do: readiness asks.
    **{
        f"pulse-{queue}": {
            "task": "intents.tasks.pulse",
            "args": (queue,),
            "schedule": SWEEP_SECONDS,
            "options": {"queue": queue, "expires": SWEEP_SECONDS * 2},
        }
        for queue in ("handover", "probes")
    },
}
CELERY_TIMEZONE = "UTC"

# Business systems are configuration: directories of YAML files, separated like a search path.
SYSTEMS_DIR = env.str("SYSTEMS_DIR", default=str(BASE_DIR / "sandbox" / "systems") if DEMO else "")
# Adapters written in Python, beside the one that needs none: SYSTEM_ADAPTERS=acme=acme.adapters.Desk,…
SYSTEM_ADAPTERS: dict[str, str] = env.dict("SYSTEM_ADAPTERS", default={})

AUTH_USER_MODEL = "tenancy.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2SHA1PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "/accounts/login/"
LOGIN_REDIRECT_URL = "/"
ACCOUNT_ADAPTER = "web.accounts.ClosedAccountAdapter"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_LOGOUT_ON_GET = False
ACCOUNT_SESSION_REMEMBER = False
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_TOTP_ISSUER = "Countersign"
EMAIL_BACKEND = env.str("EMAIL_BACKEND", default="django.core.mail.backends.dummy.EmailBackend")

LANGUAGE_CODE = "en"
LANGUAGES = [("en", "English"), ("fr", "Français")]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"  # stored and compared in UTC; shown in the reader's zone, which is named
DISPLAY_TIME_ZONE = env.str("DISPLAY_TIME_ZONE", default="Europe/Paris")

STATIC_URL = "/static/"
STATIC_ROOT = env.str("STATIC_ROOT", default=str(BASE_DIR / "staticfiles"))
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = SECURE
CSRF_COOKIE_SECURE = SECURE
SECURE_SSL_REDIRECT = SECURE
SECURE_HSTS_SECONDS = 31_536_000 if SECURE else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE
SECURE_HSTS_PRELOAD = SECURE
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if env.bool("BEHIND_PROXY", default=False) else None
DATA_UPLOAD_MAX_MEMORY_SIZE = 512 * 1024
CSRF_FAILURE_VIEW = "web.ops.refused_form"

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["web.api.authentication.AgentTokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["web.api.parsing.StrictJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "EXCEPTION_HANDLER": "web.api.errors.problem",
    "UNAUTHENTICATED_USER": None,
    "UNICODE_JSON": True,
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Countersign",
    "VERSION": VERSION,
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "POSTPROCESSING_HOOKS": ["web.api.documents.complete"],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"plain": {"()": "config.logs.OneLineFormatter"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "plain"}},
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", default="INFO")},
    "loggers": {
        # A failed on_commit callback (a nudge that could not be published) is logged here and nowhere else.
        "django.db.backends.base": {"level": "ERROR"},
        "django_structlog": {"level": "WARNING"},
        "httpx2": {"level": "WARNING"},  # a line for each request, with its whole address: the journal tells better
    },
}
