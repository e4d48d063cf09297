"""Hakoniwa: a miniature garden in which AI characters live, refereed by code.

Its parts stand alone: `from hakoniwa import Garden, gm_step, resolve_next_speaker, ActionSanitizer`. They are loaded
when asked for, so that the command line does not pay for what it does not use.
"""

import importlib
from importlib.metadata import version
from typing import Any

_PARTS = {
    "Garden": "hakoniwa.library.garden",
    "Settings": "hakoniwa.settings",
    "Scenario": "hakoniwa.stage.scenario",
    "Incident": "hakoniwa.stage.scenario",
    "run_experiment": "hakoniwa.library.experiments",
    "runs_frame": "hakoniwa.library.experiments",
    "gm_step": "hakoniwa.gm.request",
    "GMStepRequest": "hakoniwa.gm.request",
    "GMStepResponse": "hakoniwa.gm.request",
    "History": "hakoniwa.gm.history",
    "possible_acts": "hakoniwa.gm.options",
    "should_inject": "hakoniwa.gm.facts",
    "generate_fact_cards": "hakoniwa.gm.facts",
    "calculate_stall_score": "hakoniwa.gm.stall",
    "ActionIntent": "hakoniwa.turn",
    "Ruling": "hakoniwa.turn",
    "WorldState": "hakoniwa.stage.world",
    "ActionSanitizer": "hakoniwa.director.sanitize",
    "SanitizerInput": "hakoniwa.director.sanitize",
    "SanitizerResult": "hakoniwa.director.sanitize",
    "resolve_next_speaker": "hakoniwa.director.next_speaker",
    "get_facts_for_injection": "hakoniwa.director.facts",
    "CheckInput": "hakoniwa.director.check",
    "NextPolicy": "hakoniwa.director.next_speaker",
    "CharacterRegistry": "hakoniwa.director.next_speaker",
    "Resolved": "hakoniwa.director.next_speaker",
}
__all__ = [*_PARTS]
_DISTRIBUTION = "hakoniwa-g3"


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return version(_DISTRIBUTION)
    if name not in _PARTS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_PARTS[name]), name)
