"""What was sent, seen, checked and concluded stays as it was: plain triggers, ENABLE ALWAYS, whoever asks."""

from django.db import migrations

SQL = """
CREATE FUNCTION intents_keeps() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% on % is refused: what was observed stays as it was', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE FUNCTION intents_attempt_keeps() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.result = 'open'
       AND (NEW.id, NEW.intent_id, NEW.number, NEW.authorization_id, NEW.method, NEW.url, NEW.body, NEW.digest,
            NEW.marked_at, NEW.deadline, NEW.worker)
           IS NOT DISTINCT FROM
           (OLD.id, OLD.intent_id, OLD.number, OLD.authorization_id, OLD.method, OLD.url, OLD.body, OLD.digest,
            OLD.marked_at, OLD.deadline, OLD.worker)
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'an attempt is never changed or deleted; it is closed once'
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE FUNCTION intents_conclusion_keeps() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.seconded_at IS NULL
       AND (NEW.id, NEW.case_id, NEW.finding, NEW."then", NEW.reason, NEW.words, NEW.evidence_id, NEW.person_id, NEW.at)
           IS NOT DISTINCT FROM
           (OLD.id, OLD.case_id, OLD.finding, OLD."then", OLD.reason, OLD.words, OLD.evidence_id, OLD.person_id, OLD.at)
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'a conclusion is never changed or deleted; it is seconded once'
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE FUNCTION intents_intent_keeps() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE'
       AND (NEW.id, NEW.organization_id, NEW.revision_id, NEW.tool, NEW.system, NEW.target, NEW.reference, NEW.opened_at)
           IS NOT DISTINCT FROM
           (OLD.id, OLD.organization_id, OLD.revision_id, OLD.tool, OLD.system, OLD.target, OLD.reference, OLD.opened_at)
       AND NEW.attempt >= OLD.attempt
       AND (OLD.ended_at IS NULL OR (NEW.state = OLD.state AND NEW.ended_at = OLD.ended_at))
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'an intent keeps what it is about, its reference and its end; it is never deleted'
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER intents_evidence_keeps BEFORE UPDATE OR DELETE ON intents_evidence
    FOR EACH ROW EXECUTE FUNCTION intents_keeps();
CREATE TRIGGER intents_recheck_keeps BEFORE UPDATE OR DELETE ON intents_recheck
    FOR EACH ROW EXECUTE FUNCTION intents_keeps();
CREATE TRIGGER intents_attempt_keeps BEFORE UPDATE OR DELETE ON intents_attempt
    FOR EACH ROW EXECUTE FUNCTION intents_attempt_keeps();
CREATE TRIGGER intents_conclusion_keeps BEFORE UPDATE OR DELETE ON intents_conclusion
    FOR EACH ROW EXECUTE FUNCTION intents_conclusion_keeps();
CREATE TRIGGER intents_intent_keeps BEFORE UPDATE OR DELETE ON intents_intent
    FOR EACH ROW EXECUTE FUNCTION intents_intent_keeps();

ALTER TABLE intents_evidence ENABLE ALWAYS TRIGGER intents_evidence_keeps;
ALTER TABLE intents_recheck ENABLE ALWAYS TRIGGER intents_recheck_keeps;
ALTER TABLE intents_attempt ENABLE ALWAYS TRIGGER intents_attempt_keeps;
ALTER TABLE intents_conclusion ENABLE ALWAYS TRIGGER intents_conclusion_keeps;
ALTER TABLE intents_intent ENABLE ALWAYS TRIGGER intents_intent_keeps;
"""

UNDO = """
DROP TRIGGER intents_evidence_keeps ON intents_evidence;
DROP TRIGGER intents_recheck_keeps ON intents_recheck;
DROP TRIGGER intents_attempt_keeps ON intents_attempt;
DROP TRIGGER intents_conclusion_keeps ON intents_conclusion;
DROP TRIGGER intents_intent_keeps ON intents_intent;
DROP FUNCTION intents_keeps();
DROP FUNCTION intents_attempt_keeps();
DROP FUNCTION intents_conclusion_keeps();
DROP FUNCTION intents_intent_keeps();
"""


class Migration(migrations.Migration):
    dependencies = [("intents", "0001_initial")]
    operations = [migrations.RunSQL(SQL, UNDO)]
