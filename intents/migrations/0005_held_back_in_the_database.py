"""While hand-over is paused, or a circuit is open, no attempt can be written down: the database has the last word.

It is asked in the transaction that marks, without a round trip, whatever the process that marks believes. The text of
a refusal names the constraint that `intents.withholding` recognises.
"""

from django.db import migrations

SQL = """
CREATE FUNCTION intents_attempt_may_begin() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE i intents_intent;
BEGIN
    SELECT * INTO i FROM intents_intent WHERE id = NEW.intent_id;
    IF EXISTS (SELECT 1 FROM intents_pause WHERE organization_id = i.organization_id AND lifted_at IS NULL) THEN
        RAISE EXCEPTION 'hand-over is paused'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'intents_hand_over_is_paused';
    END IF;
    IF EXISTS (SELECT 1 FROM intents_circuit
               WHERE organization_id = i.organization_id AND system = i.system AND opened_at IS NOT NULL
                 AND trial_id IS DISTINCT FROM i.id) THEN
        RAISE EXCEPTION 'the circuit of this business system is open'
            USING ERRCODE = 'check_violation', CONSTRAINT = 'intents_circuit_is_open';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER intents_attempt_may_begin BEFORE INSERT ON intents_attempt
    FOR EACH ROW EXECUTE FUNCTION intents_attempt_may_begin();
"""

UNDO = """
DROP TRIGGER intents_attempt_may_begin ON intents_attempt;
DROP FUNCTION intents_attempt_may_begin();
"""


class Migration(migrations.Migration):
    dependencies = [("intents", "0004_what_holds_hand_overs_back")]
    operations = [migrations.RunSQL(SQL, UNDO)]
