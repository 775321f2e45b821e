"""The pilot's figures: what became of what agents asked, tool by tool and version by version."""
