"""Whether the server holds the model to a JSON schema; the question invites it to break out."""

import json
from collections.abc import Iterator
from typing import Any

from hakoniwa.llm.bench import ProbeAnswer, ProbeBench, ProbeFinding, unanswered_finding

QUESTION = "好きな季節はどれですか。理由も添えて、自由に書いてください。"
ACTS = ("A7", "B2", "C9")
SCHEMA = {
    "type": "object",
    "properties": {"act": {"type": "string", "enum": list(ACTS)}},
    "required": ["act"],
    "additionalProperties": False,
}
FORMAT = {"type": "json_schema", "json_schema": {"name": "choice", "strict": True, "schema": SCHEMA}}
TOKENS, SHOWN = 48, 40


def schema(bench: ProbeBench) -> Iterator[ProbeFinding]:
    answer = bench.ask(QUESTION, tokens=TOKENS, response_format=FORMAT)
    grade: Any = "problem" if bench.choose else "warn"
    if answer.fault is not None:
        yield unanswered_finding("schema", answer)
    elif answer.failed:
        details = {"problem": answer.problem}
        yield ProbeFinding(about="schema", grade=grade, key="schema.refused", details=details, fix="schema")
    elif _obeys_schema(answer):
        yield ProbeFinding(about="schema", grade="ok", key="schema.ok")
    else:
        said = " ".join(answer.text.split())[:SHOWN]
        yield ProbeFinding(about="schema", grade=grade, key="schema.ignored", details={"said": said}, fix="schema")


def _obeys_schema(answer: ProbeAnswer) -> bool:
    """Whether it is the object that was asked for, or its beginning: small models fill it up with blanks."""
    found = "".join(answer.text.split())
    objects = [json.dumps({"act": act}, separators=(",", ":")) for act in ACTS]
    return found in objects or (len(found) > 1 and any(one.startswith(found) for one in objects))
