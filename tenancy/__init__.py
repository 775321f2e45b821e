"""Who: organizations, scopes, roles, people, agents, tokens, and what is stopped."""
