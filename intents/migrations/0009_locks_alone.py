"""Locks come first and alone; what they hold is read by a statement after them, which sees whatever was committed.

The order is that of the house: proposal, authorization, intent, then the gating rows for share.
"""

from django.db import migrations

TAKE = """
CREATE FUNCTION intents_take(wanted bigint, gating boolean) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    i intents_intent; p proposals_proposal; persons bigint[];
BEGIN
    SELECT q.* INTO p FROM proposals_proposal q
        WHERE q.id = (SELECT r.proposal_id FROM proposals_revision r
                      WHERE r.id = (SELECT revision_id FROM intents_intent WHERE id = wanted)) FOR UPDATE;
    PERFORM 1 FROM approvals_authorization
        WHERE id = (SELECT authorization_id FROM intents_intent WHERE id = wanted) FOR UPDATE;
    SELECT * INTO i FROM intents_intent WHERE id = wanted FOR UPDATE;
    IF NOT gating OR i.state <> 'ready' THEN RETURN; END IF;
    PERFORM 1 FROM tenancy_admission
        WHERE organization_id = p.organization_id
          AND ((subject = 'organization' AND name = '') OR (subject = 'tool' AND name = i.tool)
               OR (subject = 'system' AND name = i.system))
        ORDER BY id FOR SHARE;
    PERFORM 1 FROM proposals_contractversion
        WHERE id = (SELECT contract_id FROM proposals_revision WHERE id = i.revision_id) FOR SHARE;
    persons := ARRAY(SELECT person_id FROM approvals_signature WHERE authorization_id = i.authorization_id)
               || p.requester_id;
    PERFORM 1 FROM tenancy_user WHERE id = ANY (persons) ORDER BY id FOR SHARE;
    PERFORM 1 FROM tenancy_rolegrant
        WHERE person_id = ANY (persons) AND organization_id = p.organization_id AND ended_at IS NULL
        ORDER BY id FOR SHARE;
    PERFORM 1 FROM tenancy_agenttoken WHERE id = p.token_id FOR SHARE;
    PERFORM 1 FROM tenancy_agent WHERE id = (SELECT agent_id FROM tenancy_agenttoken WHERE id = p.token_id) FOR SHARE;
END $$
"""

UNDO = "DROP FUNCTION intents_take(bigint, boolean)"


class Migration(migrations.Migration):
    dependencies = [("intents", "0008_who_wants_to_be_told")]
    operations = [migrations.RunSQL(TAKE, UNDO)]
