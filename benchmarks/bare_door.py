"""The peer of a submission: a DRF view that stores the same JSON, and does nothing else. Served by our own server."""

from django.db import models
from django.urls import path
from rest_framework.generics import CreateAPIView
from rest_framework.serializers import ModelSerializer

from config.urls import urlpatterns as ours

TABLE = "CREATE TABLE IF NOT EXISTS bare_stored (id bigserial PRIMARY KEY, body jsonb NOT NULL)"


class Stored(models.Model):
    """One body."""

    body = models.JSONField()

    class Meta:
        app_label = "bare"
        db_table = "bare_stored"
        managed = False


class StoredSerializer(ModelSerializer):
    class Meta:
        model = Stored
        fields = ("id", "body")


class Store(CreateAPIView):
    """`POST /bare`: nobody is asked who they are, and nothing is checked but that it is JSON."""

    authentication_classes = ()
    permission_classes = ()
    queryset = Stored.objects.all()
    serializer_class = StoredSerializer


urlpatterns = [path("bare", Store.as_view()), *ours]
