import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


# A fact is left in the transaction of the entry, only where somebody in its organization wants to be told of it.
# The kinds are those of intents.telling.KINDS; a test says that they agree.
SQL = """
CREATE FUNCTION intents_leave_fact() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM intents_webhook webhook JOIN tenancy_agent agent ON agent.id = webhook.agent_id
               WHERE agent.organization_id = NEW.organization AND webhook.ended_at IS NULL) THEN
        INSERT INTO intents_fact (entry) VALUES (NEW.id);
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER intents_leave_fact AFTER INSERT ON journal_entry FOR EACH ROW
    WHEN (NEW.chain IS NOT NULL AND NEW.kind IN (
        'proposal.submitted', 'proposal.revised', 'proposal.withdrawn', 'proposal.expired', 'proposal.answered',
        'proposal.stopped', 'proposal.refused', 'changes.requested', 'authorization.granted', 'intent.voided',
        'attempt.marked', 'attempt.not_delivered', 'attempt.accepted', 'attempt.refused', 'attempt.reopened',
        'outcome.confirmed', 'outcome.unknown', 'outcome.diverged', 'outcome.not_executed', 'probe.made',
        'evidence.recorded'))
    EXECUTE FUNCTION intents_leave_fact();
"""
UNDO = "DROP TRIGGER intents_leave_fact ON journal_entry; DROP FUNCTION intents_leave_fact();"


class Migration(migrations.Migration):

    dependencies = [
        ('journal', '0002_append_only'),
        ('intents', '0007_drills'),
        ('proposals', '0004_the_same_meaning_is_found'),
        ('tenancy', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Fact',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('entry', models.BigIntegerField(unique=True)),
            ],
        ),
        migrations.CreateModel(
            name='Notice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('entry', models.BigIntegerField()),
                ('revision', models.IntegerField()),
                ('status', models.CharField(max_length=32)),
                ('at', models.DateTimeField()),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('delivered', 'Delivered'), ('given_up', 'Given Up')], default='waiting', max_length=16)),
                ('tries', models.IntegerField(default=0)),
                ('next_try_at', models.DateTimeField(null=True)),
                ('delivered_at', models.DateTimeField(null=True)),
                ('proposal', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='notices', to='proposals.proposal')),
            ],
        ),
        migrations.CreateModel(
            name='Telling',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField()),
                ('status', models.IntegerField(null=True)),
                ('fault', models.CharField(blank=True, max_length=64)),
                ('took_ms', models.IntegerField()),
                ('notice', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='tellings', to='intents.notice')),
                ('person', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.CreateModel(
            name='Webhook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('url', models.CharField(max_length=500)),
                ('salt', models.BinaryField()),
                ('added_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(null=True)),
                ('added_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('agent', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='webhooks', to='tenancy.agent')),
                ('ended_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
        migrations.AddField(
            model_name='notice',
            name='webhook',
            field=models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='notices', to='intents.webhook'),
        ),
        migrations.AddConstraint(
            model_name='webhook',
            constraint=models.UniqueConstraint(condition=models.Q(('ended_at__isnull', True)), fields=('agent', 'url'), name='intents_one_webhook_per_address'),
        ),
        migrations.AddIndex(
            model_name='notice',
            index=models.Index(condition=models.Q(('state', 'waiting')), fields=['next_try_at'], name='intents_notices_due'),
        ),
        migrations.AddIndex(
            model_name='notice',
            index=models.Index(fields=['webhook', '-id'], name='intents_notices_of_webhook'),
        ),
        migrations.AddIndex(
            model_name='notice',
            index=models.Index(fields=['webhook', 'proposal', '-id'], name='intents_notices_of_proposal'),
        ),
        migrations.AddConstraint(
            model_name='notice',
            constraint=models.UniqueConstraint(fields=('webhook', 'entry'), name='intents_one_notice_per_fact'),
        ),
        migrations.AddConstraint(
            model_name='notice',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('next_try_at__isnull', False), ('state', 'waiting')), models.Q(('state', 'waiting'), _negated=True), _connector='OR'), name='intents_a_waiting_notice_is_tried'),
        ),
        migrations.RunSQL(SQL, UNDO),
    ]
