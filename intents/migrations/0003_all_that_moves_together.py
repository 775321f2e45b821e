"""One function reads, and where asked locks, an intent with all that moves along with it.

Its statements run one after the other, each on a snapshot of its own, exactly as if they were sent one by one: what
was changed while a lock was waited for is seen. What is spared is their round trips and their planning.
"""

from django.db import migrations

HELD = """
CREATE FUNCTION intents_held(wanted bigint, take boolean, gating boolean) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE
    i intents_intent; r proposals_revision; p proposals_proposal; a approvals_authorization;
    persons bigint[]; gates jsonb; instant timestamptz;
BEGIN
    SELECT * INTO i FROM intents_intent WHERE id = wanted;
    IF NOT FOUND THEN RETURN NULL; END IF;
    SELECT * INTO r FROM proposals_revision WHERE id = i.revision_id;
    IF take THEN  -- the lock order of the house: proposal, authorization, intent, then the gating rows for share
        SELECT * INTO p FROM proposals_proposal WHERE id = r.proposal_id FOR UPDATE;
        SELECT * INTO a FROM approvals_authorization
            WHERE id = (SELECT authorization_id FROM intents_intent WHERE id = wanted) FOR UPDATE;
        SELECT * INTO i FROM intents_intent WHERE id = wanted FOR UPDATE;
    ELSE
        SELECT * INTO p FROM proposals_proposal WHERE id = r.proposal_id;
        SELECT * INTO a FROM approvals_authorization WHERE id = i.authorization_id;
    END IF;
    IF gating AND i.state = 'ready' THEN
        PERFORM 1 FROM tenancy_admission
            WHERE organization_id = p.organization_id
              AND ((subject = 'organization' AND name = '') OR (subject = 'tool' AND name = i.tool)
                   OR (subject = 'system' AND name = i.system))
            ORDER BY id FOR SHARE;
        PERFORM 1 FROM proposals_contractversion WHERE id = r.contract_id FOR SHARE;
        persons := ARRAY(SELECT person_id FROM approvals_signature WHERE authorization_id = a.id) || p.requester_id;
        PERFORM 1 FROM tenancy_user WHERE id = ANY (persons) ORDER BY id FOR SHARE;
        PERFORM 1 FROM tenancy_rolegrant
            WHERE person_id = ANY (persons) AND organization_id = p.organization_id AND ended_at IS NULL
            ORDER BY id FOR SHARE;
        PERFORM 1 FROM tenancy_agenttoken WHERE id = p.token_id FOR SHARE;
        PERFORM 1 FROM tenancy_agent
            WHERE id = (SELECT agent_id FROM tenancy_agenttoken WHERE id = p.token_id) FOR SHARE;
        instant := clock_timestamp();
        gates := intents_gates(i, r, p, a, instant);
    ELSE
        instant := clock_timestamp();
    END IF;
    RETURN jsonb_build_object(
        'now', instant, 'gates', gates, 'intent', to_jsonb(i), 'revision', to_jsonb(r), 'proposal', to_jsonb(p),
        'authorization', to_jsonb(a),
        'awaited', EXISTS (SELECT 1 FROM intents_intent other
            WHERE other.organization_id = i.organization_id AND other.system = i.system AND other.target = i.target
              AND other.state = 'ready' AND other.waiting = 'fence' AND other.id <> i.id),
        'latest', (SELECT to_jsonb(t) FROM (SELECT id, intent_id, number, authorization_id, method, url, digest,
                                                   marked_at, deadline, worker, result, fault, status, closed_at
                                            FROM intents_attempt WHERE intent_id = i.id AND number = i.attempt) t),
        'organization', (SELECT to_jsonb(o) FROM tenancy_organization o WHERE o.id = p.organization_id),
        'scope', (SELECT to_jsonb(s) FROM tenancy_scope s WHERE s.id = p.scope_id),
        'requester', (SELECT to_jsonb(u) - 'password' FROM tenancy_user u WHERE u.id = p.requester_id),
        'agent', (SELECT to_jsonb(g) FROM tenancy_agent g WHERE g.id = p.agent_id),
        'contract', (SELECT to_jsonb(c)
                     FROM (SELECT id, organization_id, name, version, digest, state, published_at, published_by_id,
                                  activated_at, activated_by_id, retired_at, retired_by_id, waiver
                           FROM proposals_contractversion WHERE id = r.contract_id) c));
END $$
"""

GATES = """
CREATE FUNCTION intents_gates(
    i intents_intent, r proposals_revision, p proposals_proposal, a approvals_authorization, instant timestamptz
) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
    RETURN jsonb_build_object(
        'stop', (SELECT jsonb_build_object('subject', subject, 'name', name) FROM tenancy_admission
                 WHERE organization_id = p.organization_id
                   AND ((subject = 'organization' AND name = '') OR (subject = 'tool' AND name = i.tool)
                        OR (subject = 'system' AND name = i.system))
                   AND stopped_at IS NOT NULL AND (stopped_until IS NULL OR stopped_until > instant)
                 ORDER BY id LIMIT 1),
        'contract', (SELECT jsonb_build_object('state', state, 'digest', digest)
                     FROM proposals_contractversion WHERE id = r.contract_id),
        'token', (SELECT jsonb_build_object('revoked', t.revoked_at IS NOT NULL, 'disabled', g.disabled_at IS NOT NULL)
                  FROM tenancy_agenttoken t JOIN tenancy_agent g ON g.id = t.agent_id WHERE t.id = p.token_id),
        'requester', intents_roles(p.requester_id, p.organization_id, p.scope_id),
        'signatures', (SELECT coalesce(jsonb_agg(jsonb_build_object(
                            'person', u.username, 'signed_as', s.role, 'expires_at', s.expires_at,
                            'revoked', s.revoked_at IS NOT NULL,
                            'roles', intents_roles(s.person_id, p.organization_id, p.scope_id)) ORDER BY s.id), '[]')
                       FROM approvals_signature s JOIN tenancy_user u ON u.id = s.person_id
                       WHERE s.authorization_id = a.id),
        'on_object', i.target IS NOT NULL AND EXISTS (
            SELECT 1 FROM intents_intent other
            WHERE other.organization_id = i.organization_id AND other.system = i.system AND other.target = i.target
              AND other.id <> i.id AND other.fence_lifted_at IS NULL
              AND (other.state IN ('sending', 'accepted', 'unknown', 'reopened')
                   OR (other.state = 'ready' AND other.reopened_at IS NOT NULL)
                   OR EXISTS (SELECT 1 FROM intents_case c WHERE c.intent_id = other.id AND c.closed_at IS NULL))));
END $$
"""

ROLES = """
CREATE FUNCTION intents_roles(person bigint, organization bigint, scope bigint) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
    RETURN (SELECT coalesce(jsonb_agg(DISTINCT role), '[]')
            FROM tenancy_rolegrant g JOIN tenancy_user u ON u.id = g.person_id
            WHERE g.person_id = person AND u.is_active AND g.ended_at IS NULL AND g.organization_id = organization
              AND (g.scope_id IS NULL OR g.scope_id = scope));
END $$
"""


class Migration(migrations.Migration):
    dependencies = [
        ("intents", "0002_what_was_seen_stays"),
        ("approvals", "0003_signed_is_signed"),
        ("proposals", "0002_what_was_said_stays"),
        ("tenancy", "0001_initial"),
    ]

    operations = [
        migrations.RunSQL(ROLES, "DROP FUNCTION intents_roles(bigint, bigint, bigint)"),
        migrations.RunSQL(
            GATES,
            "DROP FUNCTION intents_gates("
            "intents_intent, proposals_revision, proposals_proposal, approvals_authorization, timestamptz)",
        ),
        migrations.RunSQL(HELD, "DROP FUNCTION intents_held(bigint, boolean, boolean)"),
    ]
