from django.apps import AppConfig


class WebConfig(AppConfig):
    name = "web"

    def ready(self) -> None:
        """Listen to people who sign in."""
        from web import presence  # needs the models, which are there from now on

        presence.listen()
