"""What to do first: addresses, sign-ins, and one command that submits a proposal."""

import json
import secrets
import shlex

from demo.choices import DEFAULT_DIRECTORY, Choices

FIRST_PROPOSAL = {
    "tool": "ouvrir_revue_dossier",
    "arguments": {"dossier_ref": "D-42", "expected_version": 7, "reason_code": "DONNEE_A_VERIFIER"},
    "suggestion": "The amount on the last invoice does not match the order: please review the file.",
}


def greeting(choices: Choices) -> str:
    """Return the whole text, read from the credentials that the seed wrote."""
    credentials = json.loads((choices.directory / "credentials.json").read_text())
    lines = [
        "",
        f"Countersign is ready: {choices.base_url}",
        f"  business system (pretend)  {choices.sandbox_url}",
        f"  readiness                  {choices.base_url}/healthz/ready",
        f"  credentials for programs   {choices.directory / 'credentials.json'}",
        f"  logs                       {choices.directory / 'logs'}",
        "",
        "Sign in as (password in brackets):",
        *_sign_ins(credentials["users"]),
        "",
        "Submit a first proposal as an agent, then sign it as approver:",
        "",
        first_curl(choices, credentials["agents"]["agent-a"]["token"]),
        "",
        f"Ctrl-C stops everything and keeps the data; `{_reset(choices)}` clears it.",
    ]
    return "\n".join(lines)


def first_curl(choices: Choices, token: str) -> str:
    """Return one line for a shell; the idempotency key is new at every start, so each start has its own proposal."""
    parts = ["curl", "-sS", "-X", "POST", f"{choices.base_url}/api/v1/proposals"]
    for header in (
        f"Authorization: Bearer {token}",
        "Content-Type: application/json",
        f"Idempotency-Key: first-proposal-{secrets.token_hex(4)}",
    ):
        parts += ["-H", header]
    parts += ["-d", json.dumps(FIRST_PROPOSAL, ensure_ascii=False)]
    return shlex.join(parts)


def _reset(choices: Choices) -> str:
    """Return the command that clears this demo, and not the one that lies where no choice was made."""
    if choices.directory == DEFAULT_DIRECTORY:
        return "make demo-reset"
    return f"make demo-reset DEMO_DIR={shlex.quote(str(choices.directory))}"


def _sign_ins(users: dict[str, dict[str, str]]) -> list[str]:
    names = [f"{name} ({user['password']})" for name, user in users.items()]
    return [f"  {', '.join(names[start : start + 4])}" for start in range(0, len(names), 4)]
