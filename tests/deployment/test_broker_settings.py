"""The settings that cost others dear are as they must be."""

from celery import current_app
from django.conf import settings

from config import celery
from intents.tasks import hand_over, open_intent, probe, sweep


def test_messages_are_acknowledged_early_never_put_back_and_taken_one_at_a_time():
    conf = current_app.conf
    assert (conf.task_acks_late, conf.task_reject_on_worker_lost) == (False, False)
    assert (conf.worker_prefetch_multiplier, conf.worker_disable_prefetch) == (1, True)
    assert conf.broker_transport_options["visibility_timeout"] >= 3600


def test_there_is_no_result_backend_and_only_ids_travel_as_json():
    conf = current_app.conf
    assert (conf.result_backend, conf.task_ignore_result) == (None, True)
    assert (conf.task_serializer, list(conf.accept_content)) == ("json", ["json"])


def test_a_frozen_broker_blocks_nobody_for_long_and_publishing_is_never_tried_again():
    conf = current_app.conf
    assert conf.task_publish_retry is False
    options = conf.broker_transport_options
    assert options["socket_timeout"] <= 1
    assert options["socket_connect_timeout"] <= 1
    assert options["max_retries"] == 0


def test_hand_overs_probes_and_sweeps_have_queues_of_their_own():
    routes = {task.name: current_app.amqp.router.route({}, task.name)["queue"].name for task in ALL}
    assert routes == {
        "intents.tasks.open_intent": "handover",
        "intents.tasks.hand_over": "handover",
        "intents.tasks.probe": "probes",
        "intents.tasks.sweep": "sweeps",
    }


ALL = (open_intent, hand_over, probe, sweep)


def test_no_task_is_retried_or_timed_by_the_broker():
    assert not [task.name for task in ALL if getattr(task, "autoretry_for", None)]
    assert not [each for each in current_app.conf.beat_schedule.values() if "countdown" in each["options"]]


def test_kept_connections_are_looked_at_before_each_task():
    assert current_app.conf.db_reuse_max
    assert celery.drop_dead_connections in [receiver() for _, receiver in celery.task_prerun.receivers]
    assert settings.DATABASES["default"]["CONN_HEALTH_CHECKS"] is True
    assert "pool" not in settings.DATABASES["default"]["OPTIONS"]
