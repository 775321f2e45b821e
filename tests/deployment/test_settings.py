"""Settings as a deployer gives them: what an address asks for is obeyed."""

import json
import os
import subprocess
import sys

from tests.deployment.reading import ROOT

SHOWN = """
import json
from config import settings
print(json.dumps(settings.DATABASES["default"]["OPTIONS"]))
"""


def options_of(database_url: str) -> dict[str, object]:
    done = subprocess.run(
        [sys.executable, "-c", SHOWN],
        cwd=ROOT,
        env={**os.environ, "DATABASE_URL": database_url},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_the_encryption_an_address_asks_for_is_kept_and_the_time_limits_are_too():
    options = options_of("postgres://countersign@db.example/countersign?sslmode=verify-full&sslrootcert=/ca.pem")
    assert (options["sslmode"], options["sslrootcert"]) == ("verify-full", "/ca.pem")
    assert "statement_timeout=15s" in str(options["options"])


def test_an_address_cannot_lift_the_time_limits():
    options = options_of("postgres://countersign@db.example/countersign?options=-c%20statement_timeout%3D0")
    assert "statement_timeout=15s" in str(options["options"])
