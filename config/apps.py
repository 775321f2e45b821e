from django.apps import AppConfig


class HouseConfig(AppConfig):
    """The wires as an app, so that its system checks are registered wherever the program starts."""

    name = "config"
    verbose_name = "Countersign"

    def ready(self) -> None:
        """Register the system checks, and have everything logged in one way."""
        from config import checks
        from config.logs import configure_structlog

        assert checks
        configure_structlog()
