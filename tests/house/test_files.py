"""How files look in this house: their size, their names, and what never stands in them."""

import ast
import io
import re
import tokenize

from tests.house.tree import FLOORS, read, texts

# Written in pieces, so that this file does not match itself.
NEVER = {
    "a directory of somebody's machine": [r"(?<![\w.<])/" + r"work/", "/tmp/" + "brief", r"/home/(?!\{)[a-z]+/"],
    "the host of a package registry": [
        "py" + r"pi\.org",
        "python" + r"hosted\.org",
        "registry." + "npmjs",
        "cdn." + "jsdelivr",
        "un" + r"pkg\.com",
    ],
    "work that is not done": [r"\bTO" + r"DO\b", r"\bFIX" + r"ME\b", r"\bX" + r"XX\b"],
}
SKIPS = re.compile(r"pytest\.mark\.(skip|skipif|xfail)|pytest\.xfail\(")
SILENCED = re.compile(
    r"#\s*(noqa(?P<code>:\s*[A-Z]+\d+(?:,\s*[A-Z]+\d+)*)?"
    r"|type:\s*ignore(?P<kind>\[[\w-]+(?:,\s*[\w-]+)*\])?)(?P<why>.*)"
)
PRODUCT = (*FLOORS, "demo", "sandbox")


def _lines(text: str) -> list[str]:
    return text.splitlines()


def test_no_file_of_ours_is_longer_than_four_hundred_lines():
    long = {
        str(path): len(_lines(read(path)))
        for path in texts(".py", ".html", ".js", ".css")
        if "migrations" not in path.parts
    }
    assert {path: lines for path, lines in long.items() if lines > 400} == {}


def test_no_module_of_a_floor_is_named_for_a_kind_of_thing():
    vague = {"utils", "util", "helpers", "helper", "services", "managers", "common", "misc"}
    assert [str(path) for path in texts(".py", under=FLOORS) if path.stem in vague] == []


def test_no_file_names_a_machine_a_registry_or_unfinished_work():
    found = []
    for path in texts():
        text = read(path)
        for what, patterns in NEVER.items():
            for pattern in patterns:
                if hit := re.search(pattern, text):
                    line = text.count("\n", 0, hit.start()) + 1
                    found.append(f"{path}:{line}: {what}: {hit.group()}")
    assert found == []


def test_no_test_is_switched_off():
    found = [str(path) for path in texts(".py", under=("tests",)) if SKIPS.search(read(path))]
    assert [path for path in found if not path.endswith("house/test_files.py")] == []


def test_every_silenced_warning_names_its_rule_and_says_why():
    wordless = []
    for path in texts(".py", under=PRODUCT):
        for line, comment in _comments(read(path)):
            if (hit := SILENCED.search(comment)) is None:
                continue
            named = hit.group("code") or hit.group("kind")
            if not named or len(hit.group("why").strip(" #-:")) < 5:
                wordless.append(f"{path}:{line}: {comment}")
    assert wordless == []


def test_whoever_catches_everything_says_why_or_raises_it_again():
    wordless = []
    for path in texts(".py"):
        source = read(path)
        commented = {line for line, _ in _comments(source)}
        for node in ast.walk(ast.parse(source)):
            if not isinstance(node, ast.ExceptHandler) or not _catches_everything(node):
                continue
            again = isinstance(node.body[-1], ast.Raise)
            if not again and not commented & set(range(node.lineno, node.body[0].end_lineno + 1)):
                wordless.append(f"{path}:{node.lineno}")
    assert wordless == []


def _catches_everything(handler: ast.ExceptHandler) -> bool:
    return handler.type is None or ast.unparse(handler.type) in ("Exception", "BaseException")


def _comments(source: str) -> list[tuple[int, str]]:
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return [(token.start[0], token.string) for token in tokens if token.type == tokenize.COMMENT]
