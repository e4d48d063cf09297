"""Wording: a phrasebook for those whose sheet has none, put together from what is around them, who they are and how
they speak. It is no language model: a few hundred sentences in each language, chosen and combined by occasion."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Literal

import yaml

from hakoniwa.actor.character import Phrasebook, Topic
from hakoniwa.actor.view import CharacterView
from hakoniwa.gm.telling import telling_lexicon
from hakoniwa.messages import LOADER
from hakoniwa.stage.world import story_name
from hakoniwa.turn import Value

Lines = dict[str, tuple[str, ...]]  # by manner of speaking, perhaps with a mood: plain, polite, plain@good
FAVOURITES, NAMED_THINGS, COMPOSED = 3, 6, "~"
OWN = {"ja": "私", "en": "I"}
SECTIONS = ("words", "do", "failed", "saw", "answer", "greet", "happened", "idle")
HONORIFICS = ("さん", "様", "さま", "ちゃん", "くん", "君", "殿", "先生", "氏")


class TopicWording(Value):
    """Something to ask about, and what is answered."""

    about: Literal["none", "thing", "deed", "other"]
    ask: Lines
    answer: Lines


class Wording(Value):
    """The sentences of a language by occasion, and the verbs that things invite to by their names."""

    polite_tones: tuple[str, ...]
    suggests: dict[str, tuple[str, ...]]
    do: dict[str, Lines]
    saw: dict[str, Lines]
    failed: Lines
    greet: Lines
    topics: dict[str, TopicWording]
    answer: Lines
    yes: Lines
    no: Lines
    follow: Lines
    muse: Lines
    aside: dict[str, Lines]
    beats: dict[str, dict[str, Lines]]


@cache
def lines_of(language: str) -> Wording:
    text = files("hakoniwa").joinpath("lexicon", f"lines.{language}.yaml").read_text(encoding="utf-8")
    return Wording.model_validate(yaml.load(text, Loader=LOADER))


def manner(view: CharacterView) -> str:
    """Whether somebody speaks in a plain or a polite way: by their example lines, their greetings, or the tone."""
    character, known = view.character, lines_of(view.language)
    form = telling_lexicon(view.language).polite
    if lines := character.examples or character.greetings:
        return "polite" if 2 * sum(form.search(one) is not None for one in lines) > len(lines) else "plain"
    toned = any(word in character.speech.tone.casefold() for word in known.polite_tones)
    return "polite" if toned and not any(form.search(word) for word in character.speech.forbidden) else "plain"


def favourites(view: CharacterView) -> list[str]:
    """The kinds of things that somebody cares for most."""
    given = {str(kind): share for kind, share in view.character.values.items()}
    return sorted(lines_of(view.language).aside, key=lambda kind: -given.get(kind, 0.5))[:FAVOURITES]


def composed_phrasebook(view: CharacterView, want: str | None) -> Phrasebook:
    """The phrasebook of somebody whose sheet has none; `want` is what they would most like to do."""
    known, how = lines_of(view.language), manner(view)

    def own(lines: Lines) -> tuple[str, ...]:
        return tuple(_allowed_lines(view, lines[how]))

    def more(lines: Lines) -> tuple[str, ...]:
        return _with_asides(view, own(lines))

    return Phrasebook.model_construct(
        words={"aside": tuple(one for kind in favourites(view) for one in own(known.aside[kind]))},
        do={verb: own(lines) if verb == "CALL" else more(lines) for verb, lines in known.do.items()},
        failed={"*": more(known.failed)},
        saw={verb: more(lines) for verb, lines in known.saw.items()},
        answer={**dict(_answers(view, want)), "*": own(known.answer), "yes": own(known.yes), "no": own(known.no)},
        greet={"*": own(known.greet)},
        happened={"*": own(known.beats["incident"]["seen"])},
        topics=dict(_asks(view)),
        idle={"*": _with_asides(view, tuple(_about_things(view, own(known.muse), want)))},
        gestures=(),
    )


def _with_asides(view: CharacterView, lines: Sequence[str]) -> tuple[str, ...]:
    """Each line alone, and with a word more."""
    gap = "" if view.language == "ja" else " "
    return tuple(form for one in lines for form in (one, f"{one}{gap}{{aside}}"))


def speaking_view(view: CharacterView, want: str | None) -> CharacterView:
    """The view of somebody who is to speak: with a phrasebook, a word for themselves, and what they call the others.

    A phrasebook with topics of its own is only added to where somebody asks and answers; any other is filled up."""
    character = view.character
    if not character.improvises:
        return view
    own = character.phrasebook
    if own.topics:
        more = {"topics": {**dict(_asks(view)), **own.topics}, "answer": {**dict(_answers(view, want)), **own.answer}}
        return replace(view, character=character.with_field("phrasebook", own.with_fields(more)))
    polite = view.language == "ja" and manner(view) == "polite"
    names = {other: story_name(view.believed, other) for other in view.cast if other != view.who}
    called = {
        other: f"{name}さん" if polite and not name.endswith(HONORIFICS) else name for other, name in names.items()
    }
    speech = character.speech.with_fields(
        {
            "address": {**called, **character.speech.address},
            "first_person": character.speech.first_person or OWN[view.language],
        }
    )
    view = replace(view, character=character.with_field("speech", speech))
    composed = composed_phrasebook(view, want)
    merged = {name: {**getattr(composed, name), **getattr(own, name)} for name in SECTIONS}
    book = composed.with_fields({**merged, "gestures": own.gestures})
    return replace(view, character=view.character.with_field("phrasebook", book))


def _allowed_lines(view: CharacterView, lines: Sequence[str]) -> list[str]:
    """The lines without the forms that somebody never uses."""
    return [one for one in lines if not any(form and form in one for form in view.character.speech.forbidden)]


def _about_things(view: CharacterView, lines: Sequence[str], want: str | None) -> Iterator[str]:
    """Lines said to nobody, about the things in sight."""
    for line in lines:
        if "{want}" in line:
            yield from [line.replace("{want}", want)] if want else ()
        elif "{what}" in line:
            yield from (line.replace("{what}", story_name(view.believed, one.name)) for one in view.scene.things)
        else:
            yield line


# --- questions and answers: a topic is its name, and the thing or person it is about ----------------------------------


def _asks(view: CharacterView) -> Iterator[tuple[str, Topic]]:
    """What somebody might ask now: of things and people in general, of these things, and of what was just done."""
    known, how = lines_of(view.language), manner(view)
    follow = tuple(_allowed_lines(view, known.follow[how]))
    for name, topic in known.topics.items():
        lines = _allowed_lines(view, topic.ask[how])
        for about, whom in _subjects(view, topic.about):
            told = story_name(view.believed, about)
            asked = tuple(one.replace("{what}", told).replace("{who}", told) for one in lines)
            yield _topic_id(name, about), Topic(ask=asked, follow=follow, to=whom)


def _subjects(view: CharacterView, about: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What a topic may be about, and who can be asked (nobody named: anybody)."""
    match about:
        case "thing":
            things = [one.name for one in view.scene.things]
            yield from ((one, ()) for one in view.dice.sample(things, min(NAMED_THINGS, len(things))))
        case "deed":
            for seen in view.recent:
                if seen.who in view.company and seen.deeds and seen.deeds[-1][1] in view.believed.props:
                    yield seen.deeds[-1][1] or "", (seen.who,)
        case "other":
            for who in view.cast:
                whom = tuple(one for one in view.company if one != who)
                if who != view.who and whom:
                    yield who, whom
        case _:
            yield "", ()


def _topic_id(name: str, about: str) -> str:
    return f"{COMPOSED}{name}:{about.replace(' ', '_')}" if about else f"{COMPOSED}{name}"


def _answers(view: CharacterView, want: str | None) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What somebody can answer to what they were just asked, by topic and mood."""
    known, how = lines_of(view.language), manner(view)
    for seen in view.recent:
        topic = seen.topic or ""
        name, _, about = topic.removeprefix(COMPOSED).partition(":")
        if seen.asked != view.who or name not in known.topics:
            continue
        told = story_name(view.believed, _name_of(view, about))
        for key, lines in known.topics[name].answer.items():
            if key.partition("@")[0] == how:
                said = (one.replace("{what}", told).replace("{who}", told) for one in _allowed_lines(view, lines))
                fit = tuple(one.replace("{want}", want or "") for one in said if want or "{want}" not in one)
                yield topic + key[len(how) :], _with_asides(view, fit)


def _name_of(view: CharacterView, about: str) -> str:
    return next((one for one in (*view.believed.props, *view.cast) if one.replace(" ", "_") == about), about)
