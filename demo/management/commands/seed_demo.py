"""`manage.py seed_demo`: the demo's cast, tokens and contracts, written down in DEMO_DIR/credentials.json."""

import os
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from demo.credentials import Credentials
from demo.seeding import seed
from tenancy.models import Organization


class Command(BaseCommand):
    """Fills a demo; refuses anywhere else, because everybody's password is known."""

    help = "Fill the demo with its cast, tokens and contracts (only with DEMO=1)."

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.DEMO:
            raise CommandError("This is not a demo (DEMO is not set): nothing was seeded.")
        organizations = Organization.objects.values_list("slug", flat=True)
        if organizations and "demo" not in organizations:
            # DATABASE_URL may be that of a real house, left in the environment of somebody's shell.
            raise CommandError(
                "This database holds organizations that no demo made: nothing was seeded. Give the demo one of its own."
            )
        directory = Path(os.environ.get("DEMO_DIR") or settings.BASE_DIR / ".demo")
        directory.mkdir(parents=True, exist_ok=True)
        credentials = Credentials(
            directory,
            base_url=os.environ.get("BASE_URL") or settings.BASE_URL,
            sandbox_url=os.environ.get("SANDBOX_URL") or "http://127.0.0.1:8900",
        )
        contracts = settings.BASE_DIR / "sandbox" / "contracts"
        seed(credentials=credentials, contracts=contracts, say=lambda text: self.stdout.write(f"  {text}"))
