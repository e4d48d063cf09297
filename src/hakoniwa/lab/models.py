"""Who plays a run: the built-in mind, or a language mind on the clumsy model, a cassette or a server."""

from pathlib import Path

from hakoniwa.actor.builtin import BuiltinMind
from hakoniwa.actor.language import LanguageMind
from hakoniwa.app import ledger_of, model_of
from hakoniwa.errors import UsageError
from hakoniwa.lab.clumsy import ClumsyModel
from hakoniwa.lab.conditions import UnaidedMind
from hakoniwa.lab.results import ModelSpec, RunKey, Spec
from hakoniwa.llm.ledger import Ledger
from hakoniwa.llm.scripted import RecordedModel
from hakoniwa.play.session import Mind
from hakoniwa.settings import Settings


def find_servers(spec: Spec, settings: Settings) -> None:
    """Complain of a server that does not answer, or lacks its model, before anything is played."""
    for model in (*spec.models, *([spec.critic] if spec.critic else [])):
        if model.kind == "server":
            ledger_for(model, 0, settings)


def mind_for(model: ModelSpec, key: RunKey, settings: Settings) -> Mind:
    """A new mind for one run. Only a language mind has a prompt, and with it something for Inject to change."""
    if model.kind == "builtin":
        return BuiltinMind()
    kind = LanguageMind if key.arm.inject else UnaidedMind
    return kind(ledger_for(model, key.seed, settings), key.variant.acts, key.variant.mind == "one_pass")


def ledger_for(model: ModelSpec, seed: int, settings: Settings) -> Ledger:
    """The model behind it, with its account."""
    match model.kind:
        case "clumsy":
            return Ledger(ClumsyModel(seed))
        case "recorded":
            return Ledger(RecordedModel(Path(model.cassette), loop=True))
    named = settings.model_copy(
        update={"model": model.name or settings.model, "base_url": model.base_url or settings.base_url}
    )
    found = ledger_of(named, model_of(named))
    if found is None:
        raise UsageError("lab.no-model", model=model.id)
    return found
