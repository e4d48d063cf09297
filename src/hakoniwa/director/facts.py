"""get_facts_for_injection: at most three facts for the next prompt, one per tag, SCENE before STYLE before REL."""

from collections.abc import Sequence

from hakoniwa.director.check import CheckInput, DirectorLexicon, words
from hakoniwa.director.checks.addressing import Addressing
from hakoniwa.director.checks.tone import Tone
from hakoniwa.director.sanitize import ActionSanitizer
from hakoniwa.turn import Finding, InjectedFact, InjectionDecision


def get_facts_for_injection(
    line: CheckInput, scene_items: Sequence[str], where: str, inject_enabled: bool = True
) -> tuple[list[InjectedFact], InjectionDecision]:
    """The facts a reply calls for, and the record of it. Detection always runs; only the return is a switch."""
    return facts_about(line, ActionSanitizer().sanitize(line.text, scene_items).blocked_props, where, inject_enabled)


def facts_about(
    line: CheckInput, blocked: Sequence[str], where: str, inject_enabled: bool = True
) -> tuple[list[InjectedFact], InjectionDecision]:
    """The same for a reply whose absent props are known."""
    tone, address = Tone().look(line), Addressing().look(line)
    facts = _facts(line, blocked, tone, address, where, words(line.language))
    causes = {"predicted_blocked_props": blocked, "tone_violation": tone, "addressing_violation": address}
    decision = InjectionDecision(
        would_inject=bool(facts),
        reasons=tuple(name for name, found in causes.items() if found),
        predicted_blocked_props=tuple(blocked),
        detected_tone_violation=tone is not None,
        detected_addressing_violation=address is not None,
        facts_injected=len(facts) if inject_enabled else 0,
    )
    return (facts if inject_enabled else []), decision


def _facts(
    line: CheckInput,
    blocked: Sequence[str],
    tone: Finding | None,
    address: Finding | None,
    where: str,
    known: DirectorLexicon,
) -> list[InjectedFact]:
    facts = []
    if blocked:
        facts.append(InjectedFact(tag="SCENE", text=known.facts["scene"].format(where=where, what=blocked[0])))
    if tone:
        own = line.character.speech.first_person
        first = tone.rule == "tone.first_person"
        sentence = known.facts["first_person" if first else "style"]
        facts.append(InjectedFact(tag="STYLE", text=sentence.format(who=line.who, form=own if first else tone.form)))
    if address:
        text = known.facts["address"].format(who=line.who, other=address.other, form=address.form)
        facts.append(InjectedFact(tag="REL", text=text))
    return facts
