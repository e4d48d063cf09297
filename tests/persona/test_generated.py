"""Generated text is opaque: nobody can decide by its wording, neither past the type check nor at run time."""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import hakoniwa
from hakoniwa.persona.generated import Generated, join_texts, unseal
from hakoniwa.turn import Value

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = Path(hakoniwa.__file__).parent

# Who may take the words out: those that store, index, prompt with or show them, and those that take a reply as JSON.
MAY_UNSEAL = {
    "persona.generated",
    "memory.apply",  # a reason, into its revision
    "persona.preferences",  # the same
    "persona.write_plan",  # JSON, taken or dropped
    "memory.candidate",  # whose words they were, for the prompts and for whoever looks
    "memory.select",  # the same, and the prompt for it
    "chat.chat",  # an exchange, into the journal
    "chat.lineage",  # a result, into memory
    "chat.reply",  # the prompt
    "chat.tavern",  # a file for another program
    "play.private",  # directions, for the referee
    "memory.work",  # the prompt
    "autonomy.portrait",  # the prompts of a life by itself
    "autonomy.deliberate",  # JSON, taken or dropped, and the prompt for it
    "app.memory_inspection",  # for whoever looks
    "autonomy.voice",  # the prompt, and the form of what comes back, taken or dropped
    "play.ghosts",  # a prompt of the garden's
}
PERSONAL = {"persona", "memory", "chat", "capabilities", "autonomy"}
DOORS_AND_STORE = ("cli.", "service.", "memory.store.")

HEAD = """\
import json
import re

from hakoniwa.persona.generated import Generated, join_texts, unseal
from hakoniwa.persona.records import PersonaState

"""
REFUSED = {
    "comparing": 'text == "はい"',
    "comparing for difference": 'text != "はい"',
    "comparing what a state says": 'state.body_text == "はい"',
    "ordering": 'text < "はい"',
    "searching": '"はい" in text',
    "looking it up in a list": 'text in ("はい", "いいえ")',
    "looking it up in a set": 'text in {"はい"}',
    "looking it up in a table": '{"はい": 1}[text]',
    "asking a table for it": '{"はい": 1}.get(text)',
    "matching a pattern": 're.search("はい", text)',
    "asking how it starts": 'text.startswith("はい")',
    "folding its case": "text.lower()",
    "stripping it": "text.strip()",
    "adding to it": 'text + "。"',
    "adding it": '"「" + text',
    "joining it": '"".join([text])',
    "cutting it": "text[:10]",
    "counting its letters": "len(text)",
    "walking through it": "list(text)",
    "reading it as JSON": "json.loads(text)",
    "passing it for a plain text": "plain(text)",
}
ACCEPTED = {
    "keeping it": 'PersonaState.model_validate({**state.model_dump(), "body_text": text})',
    "writing it down": "state.model_dump_json()",
    "showing it": "print(unseal(text))",
    "putting pieces together": "join_texts([text, state.body_text])",
    "asking whether there is one": "text is None",
}


@pytest.fixture(scope="module")
def complaints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What mypy, set up as for the project, says of each of these, in one run."""
    place = tmp_path_factory.mktemp("typed")
    lines = ["def plain(text: str) -> None: ...", *(_function(*one) for one in enumerate(_snippets().values()))]
    (place / "snippets.py").write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml")]
    command += ["--cache-dir", str(place / "cache"), "--no-error-summary", "snippets.py"]
    environment = {**os.environ, "MYPYPATH": str(PACKAGE.parent)}
    done = subprocess.run(command, cwd=place, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = {int(line): said for line, said in re.findall(r"^snippets\.py:(\d+): error: (.+)$", done.stdout, re.M)}
    first = (HEAD + lines[0]).count("\n") + 2
    return {name: found[first + place] for place, name in enumerate(_snippets()) if first + place in found}


def _snippets() -> dict[str, str]:
    return {**REFUSED, **ACCEPTED}


def _function(number: int, expression: str) -> str:
    return f"def use_{number}(text: Generated, state: PersonaState) -> object: return {expression}"


@pytest.mark.parametrize("name", REFUSED)
def test_the_type_check_refuses(name: str, complaints: dict[str, str]) -> None:
    assert name in complaints


@pytest.mark.parametrize("name", ACCEPTED)
def test_the_type_check_accepts(name: str, complaints: dict[str, str]) -> None:
    assert complaints.get(name) is None


# --- at run time ------------------------------------------------------------------------------------------------------


class Line(Value):
    text: Generated


def test_the_words_show_nowhere_but_where_they_are_let_out() -> None:
    text = Generated("合言葉")
    assert not any("合言葉" in shown for shown in (str(text), repr(text), f"{Line(text=text)!r}"))
    with pytest.raises(TypeError, match="unseal"):
        f"{text}"
    assert unseal(join_texts([text, Generated("です")])) == "合言葉です"


def test_a_generated_text_is_neither_true_nor_false() -> None:
    with pytest.raises(TypeError, match="is None"):
        bool(Generated(""))


def test_it_goes_to_json_and_back_as_a_plain_string() -> None:
    line = Line.model_validate_json('{"text": "合言葉"}', strict=True)
    assert line.model_dump_json() == '{"text":"合言葉"}'
    assert Line.model_json_schema()["properties"]["text"]["type"] == "string"
    with pytest.raises(ValueError, match="a text is wanted"):
        Line.model_validate({"text": 5})


# --- who may let them out ---------------------------------------------------------------------------------------------


def modules_that_unseal() -> Iterator[str]:
    """Whoever names `unseal`, and whoever of the persona's own reaches for what it gives."""
    for path in sorted(PACKAGE.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        reaches = bool(PERSONAL & set(path.relative_to(PACKAGE).parts)) and "._text" in source
        if reaches or ("unseal" in source and _names(source, "unseal")):
            yield ".".join(path.relative_to(PACKAGE).with_suffix("").parts).removesuffix(".__init__")


def _names(source: str, name: str) -> bool:
    nodes = ast.walk(ast.parse(source))
    return any(
        name in (getattr(node, "id", ""), getattr(node, "attr", ""), getattr(node, "name", "")) for node in nodes
    )


def test_only_the_named_modules_let_the_words_out() -> None:
    found = [name for name in modules_that_unseal() if not name.startswith(DOORS_AND_STORE)]
    assert "persona.generated" in found
    assert sorted(set(found) - MAY_UNSEAL) == []
