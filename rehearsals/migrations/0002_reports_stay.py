"""A report never changes once its rehearsal ended, and no step ever: plain triggers, ENABLE ALWAYS, whoever asks."""

from django.db import migrations

SQL = """
CREATE FUNCTION rehearsals_report_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND OLD.ended_at IS NULL
       AND (OLD.organization_id, OLD.contract_id, OLD.contract_digest, OLD.system, OLD.system_digest, OLD.target,
            OLD.overlay, OLD.planned, OLD.asked_at)
         = (NEW.organization_id, NEW.contract_id, NEW.contract_digest, NEW.system, NEW.system_digest, NEW.target,
            NEW.overlay, NEW.planned, NEW.asked_at)
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'the report of a rehearsal never changes: % is refused, rehearse again', TG_OP
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE FUNCTION rehearsals_row_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% never changes: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER rehearsals_report_stays BEFORE UPDATE OR DELETE ON rehearsals_rehearsal
    FOR EACH ROW EXECUTE FUNCTION rehearsals_report_stays();
CREATE TRIGGER rehearsals_step_stays BEFORE UPDATE OR DELETE ON rehearsals_step
    FOR EACH ROW EXECUTE FUNCTION rehearsals_row_stays();
CREATE TRIGGER rehearsals_capacity_stays BEFORE UPDATE OR DELETE ON rehearsals_capacity
    FOR EACH ROW EXECUTE FUNCTION rehearsals_row_stays();

ALTER TABLE rehearsals_rehearsal ENABLE ALWAYS TRIGGER rehearsals_report_stays;
ALTER TABLE rehearsals_step ENABLE ALWAYS TRIGGER rehearsals_step_stays;
ALTER TABLE rehearsals_capacity ENABLE ALWAYS TRIGGER rehearsals_capacity_stays;
"""

UNDO = """
DROP TRIGGER rehearsals_report_stays ON rehearsals_rehearsal;
DROP TRIGGER rehearsals_step_stays ON rehearsals_step;
DROP TRIGGER rehearsals_capacity_stays ON rehearsals_capacity;
DROP FUNCTION rehearsals_report_stays();
DROP FUNCTION rehearsals_row_stays();
"""


class Migration(migrations.Migration):
    dependencies = [("rehearsals", "0001_initial")]
    operations = [migrations.RunSQL(SQL, UNDO)]
