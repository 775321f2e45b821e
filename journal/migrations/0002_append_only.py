"""The journal's tables only grow, whoever asks: plain triggers, ENABLE ALWAYS, so that no session setting skips them."""

from django.db import migrations

SQL = """
CREATE FUNCTION journal_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the journal is append-only: % on % is refused', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE FUNCTION journal_only_erase() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.entry = OLD.entry AND OLD.content IS NOT NULL AND NEW.content IS NULL AND NEW.salt IS NULL
       AND EXISTS (SELECT 1 FROM journal_entry e
                   WHERE e.id = NEW.erased_by AND e.kind = 'personal.erased'
                     AND (e.subjects ->> 'entry')::bigint = NEW.entry)
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'personal content can only be erased, with an entry that tells of it'
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER journal_entry_no_change BEFORE UPDATE OR DELETE ON journal_entry
    FOR EACH ROW EXECUTE FUNCTION journal_refuse();
CREATE TRIGGER journal_entry_no_truncate BEFORE TRUNCATE ON journal_entry
    FOR EACH STATEMENT EXECUTE FUNCTION journal_refuse();
CREATE TRIGGER journal_personal_no_delete BEFORE DELETE ON journal_personal
    FOR EACH ROW EXECUTE FUNCTION journal_refuse();
CREATE TRIGGER journal_personal_only_erase BEFORE UPDATE ON journal_personal
    FOR EACH ROW EXECUTE FUNCTION journal_only_erase();
CREATE TRIGGER journal_personal_no_truncate BEFORE TRUNCATE ON journal_personal
    FOR EACH STATEMENT EXECUTE FUNCTION journal_refuse();

ALTER TABLE journal_entry ENABLE ALWAYS TRIGGER journal_entry_no_change;
ALTER TABLE journal_entry ENABLE ALWAYS TRIGGER journal_entry_no_truncate;
ALTER TABLE journal_personal ENABLE ALWAYS TRIGGER journal_personal_no_delete;
ALTER TABLE journal_personal ENABLE ALWAYS TRIGGER journal_personal_only_erase;
ALTER TABLE journal_personal ENABLE ALWAYS TRIGGER journal_personal_no_truncate;
"""

UNDO = """
DROP TRIGGER journal_entry_no_change ON journal_entry;
DROP TRIGGER journal_entry_no_truncate ON journal_entry;
DROP TRIGGER journal_personal_no_delete ON journal_personal;
DROP TRIGGER journal_personal_only_erase ON journal_personal;
DROP TRIGGER journal_personal_no_truncate ON journal_personal;
DROP FUNCTION journal_refuse();
DROP FUNCTION journal_only_erase();
"""


class Migration(migrations.Migration):
    dependencies = [("journal", "0001_initial")]
    operations = [migrations.RunSQL(SQL, UNDO)]
