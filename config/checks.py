"""What a deployer must not get wrong, said when the program starts."""

import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register

from systems.adapters.registry import systems
from systems.yamlfiles import FileError


@register()
def secret_key_is_given(app_configs: Any, **_kwargs: Any) -> list[CheckMessage]:
    """countersign.E001: without a key of its own, an installation would sign with a known one."""
    if settings.SECRET_KEY:
        return []
    return [
        Error("SECRET_KEY is not set.", hint="Set SECRET_KEY, or SECRET_KEY_FILE to a file.", id="countersign.E001")
    ]


@register()
def database_is_postgresql(app_configs: Any, **_kwargs: Any) -> list[CheckMessage]:
    """countersign.E002: row locks, triggers and partial indexes carry the promises."""
    if settings.DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql":
        return []
    return [Error("Only PostgreSQL is supported.", hint="Set DATABASE_URL=postgres://…", id="countersign.E002")]


@register()
def systems_are_readable(app_configs: Any, **_kwargs: Any) -> list[CheckMessage]:
    """countersign.E003: a business system's file with an error is refused at start, with file, line and field."""
    missing = [path for path in settings.SYSTEMS_DIR.split(os.pathsep) if path and not Path(path).is_dir()]
    if missing:
        return [Error(f"SYSTEMS_DIR names no directory: {', '.join(missing)}", id="countersign.E003")]
    try:
        systems()
    except FileError as error:
        return [Error(str(error), id="countersign.E003")]
    return []


@register(deploy=True)
def demo_is_not_deployed(app_configs: Any, **_kwargs: Any) -> list[CheckMessage]:
    """countersign.W001: the demo's accounts have a public password."""
    if settings.DEMO:
        return [Warning("DEMO is on: everybody knows the password of every account.", id="countersign.W001")]
    return []
