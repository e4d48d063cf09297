"""Files stay in their box: wherever a name becomes a path, nothing outside the box is opened, made or removed.

The interpreter itself tells of every file that is touched. Around the box lie decoys, which hostile names ask for."""

import asyncio
import io
import json
import os
import random
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from starlette.applications import Starlette

from hakoniwa.actor import character
from hakoniwa.actor.cards import files as card_files
from hakoniwa.actor.cards.read import card_in
from hakoniwa.actor.cards.sheet import sheet_of
from hakoniwa.app import scenario_at, sheets_of, user_files
from hakoniwa.app.user_files import UserFiles, export_card, import_card
from hakoniwa.capabilities.agent_delegate import AgentDelegate
from hakoniwa.capabilities.means import CapabilityMeans, Command, DelegateMeans
from hakoniwa.capabilities.spool import Spool, job_id
from hakoniwa.errors import HakoniwaError
from hakoniwa.memory.embedding.graph import GraphExtent
from hakoniwa.memory.embedding.graph import GraphFiles as Graphs
from hakoniwa.service import experiments
from hakoniwa.service.experiments import Experiments
from hakoniwa.service.guard import AccessKey
from hakoniwa.service.page import download, page_routes
from hakoniwa.settings import Settings
from tests.capabilities.orders import order
from tests.trust.house import Asked, answered
from tests.trust.promise import Mutant, Patch, Promise, Tries, Try
from tests.trust.scratch import scratch

CANARY = "CANARY-BOX-19"
SHEET = f"display_name: 外の人\npersona: {CANARY}\n"
SCENARIO = (
    f"id: decoy\ntitle: {CANARY}\nworld:\n  location: {{current: 部屋}}\n  characters: {{外: {{location: 部屋}}}}\n"
    "cast:\n  外: {sheet: decoy}\n"
)
CARD = {"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "外", "description": CANARY, "first_mes": "x"}}
SIGNS = ("..", "/", "\\", ".", "\0", "\n", "~", "%2e%2e", "%2f", "．．", "／", "‥", "：", ":", "*", "|", "\u202e", " ")
UP = ("../", "..\\", "....//", "./../", "%2e%2e%2f", "．．／", "‥／", "..／")  # some folders lie deeper than others
NAMES = (
    *(f"{up * times}decoy" for up in UP for times in (1, 2, 3)), "a/../../decoy", "../decoy\0.yaml", "decoy\n", ".",
    "..", "...", "", " ", "~/decoy", "~root",
    "CON", "nul.yaml", "a" * 300, "あ" * 100, "C:\\decoy", "\\\\host\\share", "decoy:stream", "-rf", "*", "$(id)",
    "file:///{around}/decoy", "{around}/decoy", "/{around}/decoy", "{around}/decoy.yaml", "characters/../../../decoy",
    "\ud800", "\u202eyoced", "decoy\u200b/..", "../lab/decoy", "../../../../../../../../etc/passwd", ".token",
    "../../decoy.yaml", "..%2f..%2fdecoy.yaml", "../..", "{around}", "../../lab/decoy", "{around}/lab/decoy",
)  # fmt: skip
READS = frozenset({"open", "os.listdir", "os.scandir"})
# Where an event has its files: a link touches what it is, not what it leads to.
PLACES = {"os.rename": slice(2), "os.link": slice(2), "os.symlink": slice(1, 2)}
CHANGES = frozenset({"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate"})

Door = Callable[[Path, str], object]


# --- who goes where ---------------------------------------------------------------------------------------------------


class Watch:
    """Notes what files are touched, while it looks."""

    def __init__(self) -> None:
        self.touched: list[tuple[str, str]] | None = None
        sys.addaudithook(self._heard)

    def _heard(self, event: str, about: tuple[Any, ...]) -> None:
        if self.touched is None or event not in READS | CHANGES:
            return
        writes = event in CHANGES or (event == "open" and _writes(about))
        for path in about[PLACES.get(event, slice(1))]:
            if isinstance(path, str | bytes | os.PathLike):
                self.touched.append(("w" if writes else "r", os.fsdecode(os.fspath(path))))

    @contextmanager
    def looking(self) -> Iterator[list[tuple[str, str]]]:
        self.touched = touched = []
        try:
            yield touched
        finally:
            self.touched = None


def _writes(about: tuple[Any, ...]) -> bool:
    mode, flags = (*about, None, 0)[1:3]
    if isinstance(mode, str):
        return any(sign in mode for sign in "wxa+")
    return bool((flags or 0) & (os.O_WRONLY | os.O_RDWR))


@cache
def watch() -> Watch:
    return Watch()


def strayed(touched: list[tuple[str, str]], box: Path) -> Iterator[str]:
    """What was touched beyond the box: nothing around it may be read, nothing anywhere else be changed."""
    for how, path in touched:
        real = Path(os.path.realpath(path))
        if real.is_relative_to(box) or "__pycache__" in real.parts or real == Path(os.devnull):
            continue
        if how == "w" or real.is_relative_to(box.parent):
            yield f"{'changed' if how == 'w' else 'read'} {real}"


# --- doors ------------------------------------------------------------------------------------------------------------


def saving_a_scenario(box: Path, name: str) -> object:
    return UserFiles(box).save(name, SCENARIO.replace(CANARY, "内"))


def reading_a_scenario(box: Path, name: str) -> object:
    return UserFiles(box).text(name)


def reading_a_sheet(box: Path, name: str) -> object:
    return UserFiles(box).sheet(name).to(character.Character)


def casting_by_name(box: Path, name: str) -> object:
    """A scenario that somebody sent, whose cast names sheets."""
    text = SCENARIO.replace(CANARY, "内").replace("sheet: decoy", f"sheet: {json.dumps(name)}")
    (box / "sent.yaml").write_text(text, encoding="utf-8", errors="replace")
    return sheets_of(*scenario_at(str(box / "sent.yaml")))


def importing_a_card_as(box: Path, name: str) -> object:
    return import_card(UserFiles(box), _card("内"), name, "", True)


def importing_a_card_of(box: Path, name: str) -> object:
    return import_card(UserFiles(box), _card(name), None, "", True)


def storing_beside(box: Path, name: str) -> object:
    sheet = sheet_of(card_in(_card(name), "card")).sheet
    return card_files.store(sheet, _card("内"), box / "sheets", card_files.file_name(sheet.display_name), force=True)


def exporting_a_card_from(box: Path, name: str) -> object:
    """A sheet that says which file its card is in."""
    UserFiles(box).characters.mkdir(parents=True, exist_ok=True)
    sheet = f"display_name: 内\npersona: 内\ncard: {{file: {json.dumps(name)}}}\n"
    (UserFiles(box).characters / "told.yaml").write_text(sheet, encoding="utf-8", errors="replace")
    return export_card(UserFiles(box), "told", "json", None)


def unpacking(box: Path, name: str) -> object:
    """A CHARX archive with an entry of that name, which is also its picture."""
    packed = io.BytesIO()
    card = {**CARD, "data": {**CARD["data"], "assets": [{"type": "icon", "uri": f"embeded://{name}", "name": "main"}]}}
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("card.json", json.dumps(card).replace(CANARY, "内"))
        link = zipfile.ZipInfo((name.replace("\0", "") or "x").encode("utf-8", "replace").decode())
        link.external_attr = 0o120777 << 16
        archive.writestr(link, "../decoy.yaml")
    return import_card(UserFiles(box), packed.getvalue(), "packed", "", True)


def opening_an_experiment(box: Path, name: str) -> object:
    return Experiments(Settings(home=box), lambda: None).file(name, "results.json")


def keeping_vectors(box: Path, name: str) -> object:
    path = Graphs(box / "vectors", 1, name.encode("utf-8", "replace").decode()).path(GraphExtent(1, 2, 3))
    path.parent.mkdir(exist_ok=True)
    return path.write_text("x", encoding="utf-8")


def delegating(box: Path, name: str) -> object:
    """A task whose key and whose words are hostile; nobody runs it."""
    delegate = DelegateMeans(spool=box / "delegated", commands={"tidy": Command(argv=["/bin/true"])}, patience=0.0)
    task = order("agent_delegate", {"backend": "cli_agent", "task_instruction": name or "x"}, key=name)
    Spool(box / "delegated").directory(job_id(f"{name}{random.random()}"))
    return asyncio.run(AgentDelegate().run(task, CapabilityMeans(delegate=delegate))).result_status


def saving_over_a_link(box: Path, _: str) -> object:
    """A scenario and a card under a name that is a link to something outside."""
    for folder in (UserFiles(box).folder, UserFiles(box).characters):
        (folder / "linked.yaml").unlink(missing_ok=True)
        (folder / "linked.yaml").symlink_to(box.parent / "decoy.yaml")
    UserFiles(box).save("linked", SCENARIO.replace(CANARY, "内"))
    return import_card(UserFiles(box), _card("内"), "linked", "", True)


def asking_for_a_page(box: Path, name: str) -> object:
    """The files of the page, asked for by whatever comes after the host."""
    app = Starlette(routes=page_routes(box / "console", AccessKey("x")))
    path = f"/{name.encode('utf-8', 'replace').decode()}"
    return asyncio.run(answered(app, Asked("GET", path, (("host", "localhost"),)))).body


def downloading(box: Path, name: str) -> object:
    head = download("x", name.encode("utf-8", "replace").decode(), "text/plain").headers["content-disposition"]
    wrong = any(sign in head.partition("''")[2] for sign in '/\\"\r\n; ') or not head.isascii()
    return CANARY if wrong else None


DOORS: tuple[Door, ...] = (
    saving_a_scenario, reading_a_scenario, reading_a_sheet, casting_by_name, importing_a_card_as, importing_a_card_of,
    storing_beside, exporting_a_card_from, unpacking, opening_an_experiment, keeping_vectors, delegating, downloading,
    saving_over_a_link, asking_for_a_page,
)  # fmt: skip


def _card(name: str) -> bytes:
    return json.dumps({**CARD, "data": {**CARD["data"], "name": name, "description": "内"}}).encode()


# --- the check --------------------------------------------------------------------------------------------------------


def check(count: int, seed: int) -> Tries:
    """Come to every door with hostile names, in turn: with all that are listed, then with some that are made up."""
    chance = random.Random(seed)
    listed = chance.sample(NAMES, len(NAMES))
    with scratch() as around:
        box = _surrounded(around)
        for number in range(count):
            turn, place = divmod(number, len(DOORS))
            door = DOORS[place]
            name = listed[turn].replace("{around}", str(around)) if turn < len(listed) else _made_up(chance)
            yield Try(door.__name__, [f"{door.__name__}({name!r}): {one}" for one in _tried(door, box, name)])


def _surrounded(around: Path) -> Path:
    """A box, and what is to be had around it."""
    box = around / "box"
    for folder in (around, around / "characters", around / "scenarios", around / "lab" / "decoy"):
        folder.mkdir(exist_ok=True, parents=True)
        (folder / "decoy.yaml").write_text(SCENARIO if folder.name == "scenarios" else SHEET, encoding="utf-8")
        for name, text in (("decoy.json", json.dumps(CARD)), ("results.json", CANARY), ("spec.json", CANARY)):
            (folder / name).write_text(text, encoding="utf-8")
    for own in ("scenarios/characters", "lab", "console/assets"):
        (box / own).mkdir(parents=True)
    (box / "console" / "index.html").write_text("内", encoding="utf-8")
    return box


def _made_up(chance: random.Random) -> str:
    return "".join(chance.choice((*SIGNS, "decoy", "あ")) for _ in range(chance.randint(1, 6)))


def _tried(door: Door, box: Path, name: str) -> list[str]:
    with watch().looking() as touched:
        try:
            came = repr(door(box, name))
        except HakoniwaError as error:
            came = str(error)
        except Exception as error:  # whatever it is, a name has got further than a refusal
            came = f"{CANARY}: {type(error).__name__}: {error}"
    return [*strayed(touched, box), *([f"what is outside, or a crash: {came[:200]}"] if CANARY in came else [])]


# --- mutants ----------------------------------------------------------------------------------------------------------


def _any_name(patch: Patch) -> None:
    patch.setattr(user_files, "is_name", lambda _: True)
    patch.setattr(user_files, "is_name", lambda _: True)


def _any_experiment(patch: Patch) -> None:
    patch.setattr(experiments, "is_name", lambda _: True)


def _any_file_name(patch: Patch) -> None:
    patch.setattr(card_files, "file_name", lambda name: name)


def _unpacked_to_disk(patch: Patch) -> None:
    """An archive is unpacked where it lies, as many programs do."""

    def unpack(home: UserFiles, raw: bytes, name: str | None, *_: Any) -> None:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            for entry in archive.namelist():
                place = Path(f"{home.characters}/{entry}")
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(archive.read(entry))

    honest = import_card
    patch.setattr(
        sys.modules[__name__], "import_card",
        lambda home, raw, name, *rest: (unpack if name == "packed" else honest)(home, raw, name, *rest),
    )  # fmt: skip


PROMISE = Promise(
    name="boxes",
    says="Files stay in their box: hostile names, paths and archives lead nowhere else.",
    check=check,
    short=500,
    long=10_000,
    share=2_000,
    mutants=(
        Mutant("any name is a name on the shelf", _any_name, 900),
        Mutant("a card's name is its file's", _any_file_name, 900),
        Mutant("archives are unpacked onto the disk", _unpacked_to_disk, 900),
        Mutant("any name is an experiment", _any_experiment, 900),
    ),
)
