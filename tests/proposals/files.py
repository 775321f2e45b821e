"""The demo's contract files with pieces of their text replaced."""

from pathlib import Path

CONTRACTS = Path(__file__).resolve().parents[2] / "sandbox" / "contracts"


def contract_text(file: str, /, **replaced: str) -> str:
    """The text of `name-version`, each key replaced by its value; a key that is not in the text is a mistake."""
    text = (CONTRACTS / f"{file}.yaml").read_text(encoding="utf-8")
    for old, new in replaced.items():
        assert old in text, old
        text = text.replace(old, new)
    return text
