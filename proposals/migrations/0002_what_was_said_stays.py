"""A published contract and a submitted revision never change: plain triggers, ENABLE ALWAYS, whoever asks."""

from django.db import migrations

SQL = """
CREATE FUNCTION proposals_contract_content_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE'
       AND (OLD.organization_id, OLD.name, OLD.version, OLD.canonical, OLD.digest, OLD.source,
            OLD.published_at, OLD.published_by_id)
         = (NEW.organization_id, NEW.name, NEW.version, NEW.canonical, NEW.digest, NEW.source,
            NEW.published_at, NEW.published_by_id)
       AND NOT (OLD.state = 'retired' AND NEW.state <> 'retired')
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'a published contract version never changes: % is refused, publish a new version', TG_OP
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE FUNCTION proposals_revision_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'a revision never changes: % is refused, a correction is a new revision', TG_OP
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER proposals_contract_content_stays BEFORE UPDATE OR DELETE ON proposals_contractversion
    FOR EACH ROW EXECUTE FUNCTION proposals_contract_content_stays();
CREATE TRIGGER proposals_revision_stays BEFORE UPDATE OR DELETE ON proposals_revision
    FOR EACH ROW EXECUTE FUNCTION proposals_revision_stays();

ALTER TABLE proposals_contractversion ENABLE ALWAYS TRIGGER proposals_contract_content_stays;
ALTER TABLE proposals_revision ENABLE ALWAYS TRIGGER proposals_revision_stays;
"""

UNDO = """
DROP TRIGGER proposals_contract_content_stays ON proposals_contractversion;
DROP TRIGGER proposals_revision_stays ON proposals_revision;
DROP FUNCTION proposals_contract_content_stays();
DROP FUNCTION proposals_revision_stays();
"""


class Migration(migrations.Migration):
    dependencies = [("proposals", "0001_initial")]
    operations = [migrations.RunSQL(SQL, UNDO)]
