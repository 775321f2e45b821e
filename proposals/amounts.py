"""Says an amount of minor units in the way people read it, by whole-number arithmetic alone."""

_GROUP = {"en": ",", "fr": "\u202f"}
_POINT = {"en": ".", "fr": ","}
_BEFORE_CURRENCY = {"en": " ", "fr": "\u00a0"}


def spoken(minor: int, *, digits: int, currency: str, language: str) -> str:
    """`spoken(125000, digits=2, currency="EUR", language="en")` is `1,250.00 EUR`; every digit is kept."""
    tongue = language.split("-")[0].lower()
    tongue = tongue if tongue in _POINT else "en"
    whole, rest = divmod(abs(minor), 10**digits)
    said = f"{whole:,}".replace(",", _GROUP[tongue])
    if digits:
        said += f"{_POINT[tongue]}{rest:0{digits}d}"
    return f"{'-' if minor < 0 else ''}{said}{_BEFORE_CURRENCY[tongue]}{currency}"
