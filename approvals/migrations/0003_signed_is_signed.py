"""What was signed, refused or asked stays as it was; a signature can only be counted once and revoked once."""

from django.db import migrations

SQL = """
CREATE FUNCTION approvals_signature_keeps() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE'
       AND (NEW.id, NEW.revision_id, NEW.round, NEW.person_id, NEW.role, NEW.payload, NEW.digest,
            NEW.signed_at, NEW.expires_at)
           IS NOT DISTINCT FROM
           (OLD.id, OLD.revision_id, OLD.round, OLD.person_id, OLD.role, OLD.payload, OLD.digest,
            OLD.signed_at, OLD.expires_at)
       AND (OLD.authorization_id IS NULL OR NEW.authorization_id IS NOT DISTINCT FROM OLD.authorization_id)
       AND (OLD.revoked_at IS NULL
            OR (NEW.revoked_at, NEW.revoked_reason, NEW.revoked_words)
               IS NOT DISTINCT FROM (OLD.revoked_at, OLD.revoked_reason, OLD.revoked_words))
    THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'a signature is never changed or deleted; it can be counted once and revoked once'
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE FUNCTION approvals_act_keeps() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% on % is refused: what a person did stays as it was', TG_OP, TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER approvals_signature_keeps BEFORE UPDATE OR DELETE ON approvals_signature
    FOR EACH ROW EXECUTE FUNCTION approvals_signature_keeps();
CREATE TRIGGER approvals_act_keeps BEFORE UPDATE OR DELETE ON approvals_act
    FOR EACH ROW EXECUTE FUNCTION approvals_act_keeps();
CREATE TRIGGER approvals_exclusion_keeps BEFORE UPDATE OR DELETE ON approvals_exclusion
    FOR EACH ROW EXECUTE FUNCTION approvals_act_keeps();

ALTER TABLE approvals_signature ENABLE ALWAYS TRIGGER approvals_signature_keeps;
ALTER TABLE approvals_act ENABLE ALWAYS TRIGGER approvals_act_keeps;
ALTER TABLE approvals_exclusion ENABLE ALWAYS TRIGGER approvals_exclusion_keeps;
"""

UNDO = """
DROP TRIGGER approvals_signature_keeps ON approvals_signature;
DROP TRIGGER approvals_act_keeps ON approvals_act;
DROP TRIGGER approvals_exclusion_keeps ON approvals_exclusion;
DROP FUNCTION approvals_signature_keeps();
DROP FUNCTION approvals_act_keeps();
"""


class Migration(migrations.Migration):
    dependencies = [("approvals", "0002_who_may_not_sign_a_round")]
    operations = [migrations.RunSQL(SQL, UNDO)]
