"""`python -m demo`, `python -m demo reset`, `python -m demo manage COMMAND …`."""

import sys

from demo.choices import Choices
from demo.managing import manage, reset
from demo.supervising import Supervisor
from demo.telling import Refusal, say, speak_to_any_terminal


def main(arguments: list[str]) -> int:
    """Do what the first argument names and return the exit code."""
    speak_to_any_terminal()
    try:
        choices = Choices.from_environment()
        match arguments:
            case []:
                return Supervisor(choices).run()
            case ["reset"]:
                reset(choices=choices)
                say(f"{choices.directory} is cleared.")
                return 0
            case ["manage", _, *_]:
                return manage(arguments[1:], choices=choices)
    except Refusal as refusal:
        say(str(refusal))
        return 1
    say(str(__doc__))
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
