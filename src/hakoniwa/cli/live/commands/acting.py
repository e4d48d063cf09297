"""/as, /act: being one of the people for a turn."""

from collections.abc import Sequence

from rich.text import Text

from hakoniwa.cli.live.command import LiveCommand, commands, needed
from hakoniwa.cli.live.names import act_of, people, split_name
from hakoniwa.cli.live.show import Show
from hakoniwa.errors import UnknownName, UsageError
from hakoniwa.gm.act import Act, shown
from hakoniwa.gm.options import possible_acts
from hakoniwa.play.turn import user_turn
from hakoniwa.stage.world import called

SHOWN, SEARCHED = 20, 400


@commands.add("as")
class As(LiveCommand):
    async def run(self, show: Show, rest: str) -> None:
        who, words = split_name(show.session, needed(show, "as", rest))
        await user_turn(show.session, who, needed(show, "as", words))
        show.pace.turned()
        show.follow()

    def complete(self, show: Show, rest: str) -> Sequence[str]:
        return people(show.session) if " " not in rest else ()


@commands.add("act")
class DoAct(LiveCommand):
    async def run(self, show: Show, rest: str) -> None:
        who, wish = split_name(show.session, needed(show, "act", rest))
        if wish.isdecimal():
            await _perform(show, who, _offered(show, who, int(wish)))
        elif ":" in wish or "：" in wish:
            act = act_of(wish)
            await _perform(show, who, act) if act else _offer(show, who, wish)
        else:
            _offer(show, who, wish)

    def complete(self, show: Show, rest: str) -> Sequence[str]:
        if " " not in rest:
            return people(show.session)
        try:
            who, _ = split_name(show.session, rest)
        except UnknownName:
            return ()
        return [act.tag.strip("()") for act in possible_acts(show.session.world, who, limit=SEARCHED)]


async def _perform(show: Show, who: str, act: Act) -> None:
    await user_turn(show.session, who, act.tag)
    show.pace.turned()
    show.follow()


def _offered(show: Show, who: str, number: int) -> Act:
    """The act of that number in the list shown last."""
    acts = show.offered.get(who, [])
    if not 0 < number <= len(acts):
        raise UsageError("play.no-such-act", number=number, who=called(show.session.world, who))
    return acts[number - 1]


def _offer(show: Show, who: str, about: str) -> None:
    """List what somebody can do now, in words, numbered for the next command."""
    world, name = show.session.world, called(show.session.world, who)
    language = show.session.scenario.language
    acts = sorted(possible_acts(world, who, limit=SEARCHED), key=lambda act: act.verb.id == "INSPECT")
    found = [act for act in acts if about.casefold() in shown(world, act, language).casefold()]
    show.offered[who] = found[:SHOWN]
    if not found:
        show.tell("play.acts-none", who=name)
        return
    show.printer.title(show.say("play.acts-about" if about else "play.acts", who=name, about=about))
    for number, act in enumerate(found[:SHOWN], start=1):
        show.printer.line(Text.assemble((f"{number:4} ", "bold"), shown(world, act, language)))
    if len(found) > SHOWN:
        show.tell("play.acts-more", count=len(found) - SHOWN, who=name)
