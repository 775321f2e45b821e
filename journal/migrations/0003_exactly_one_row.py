"""A change that must meet exactly one row says so to the database, which refuses it otherwise, before any commit."""

from django.db import migrations

SQL = """
CREATE FUNCTION journal_one_row(met bigint, place integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    IF met <> 1 THEN
        RAISE EXCEPTION 'not exactly one row, but %', met
            USING ERRCODE = 'integrity_constraint_violation', CONSTRAINT = 'journal_one_row', DETAIL = place;
    END IF;
END $$;
"""


class Migration(migrations.Migration):
    dependencies = [("journal", "0002_append_only")]
    operations = [migrations.RunSQL(SQL, "DROP FUNCTION journal_one_row(bigint, integer)")]
