"""The long form can be broken off and taken up, its figures add up over seeds, and the page shows them."""

from pathlib import Path

from tests.trust.figures import BEGIN, END, PAGE, write_page
from tests.trust.ledger import Done, Share, keep, read, shares, summed
from tests.trust.promise import Mutant, Promise, Try, promises

NINE = Mutant("nine are enough", lambda _: None, 1)
TEN = Promise("ten", "Ten tries.", lambda count, _: iter([Try("x")] * count), 1, 10, 4, (NINE,))
ALL = Promise("all", "All there is.", lambda *_: iter([Try("x")]), 0, 0, 1, ())


def test_shares_come_in_rounds_and_make_up_the_whole() -> None:
    found = [(one.promise, one.number, one.count) for one in shares([TEN, ALL], "c", 1)]
    assert found == [("all", 0, 0), ("ten", 0, 4), ("ten", 1, 4), ("ten", 2, 2)]


def test_no_two_shares_try_the_same() -> None:
    seeds = [one.own_seed for seed in (1, 2) for one in shares([TEN], "c", seed)]
    assert len(set(seeds)) == len(seeds)


def test_what_was_done_is_read_again_and_adds_up_over_seeds(tmp_path: Path) -> None:
    file = tmp_path / "build" / "shares.jsonl"
    kept = [Done(Share("c", "ten", seed, 0, 4), 4, 1.5, {"x": 4}, ["oh"] * (seed - 1)) for seed in (1, 2)]
    for one in kept:
        keep(one, file)
    assert read(file) == kept
    total = summed(read(file))["ten"]
    assert (total.tries, total.cpu, total.seeds, total.kinds["x"], total.breaches) == (8, 3.0, {1, 2}, 8, ["oh"])


def test_the_page_keeps_its_words_and_gets_new_figures(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"# Before\n\n{BEGIN}\nold\n{END}\n\n## After\n", encoding="utf-8")
    for seed in (1, 2):
        done = Done(Share("c0ffee", "ten", seed, 0, 4), 4, 60.0, {"x": 4})
        write_page({"ten": TEN}, summed([done]), page)
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"# Before\n\n{BEGIN}\n")
    assert text.endswith(f"{END}\n\n## After\n")
    assert "| ten | 4 | 10 | 0 | 2 | c0ffee | 1.0 min |" in text
    assert "old" not in text
    assert '- **ten**: x 4. Again: `make trust ARGS="--only ten --seed 2"`.' in text
    assert "- **ten**: nine are enough." in text


def test_figures_of_runs_with_other_seeds_stand_in_one_line(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"{BEGIN}\n{END}\n", encoding="utf-8")
    found = summed(Done(Share("c", "ten", seed, 0, 4), 4, 60.0, {"x": 4}) for seed in (1, 7))
    write_page({"ten": TEN}, found, page)
    assert "| ten | 8 | 20 | 0 | 1, 7 | c | 2.0 min |" in page.read_text(encoding="utf-8")


def test_figures_are_those_of_the_code_that_was_tried_last() -> None:
    tried = [("a", "ten", 4), ("a", "all", 1), ("b", "ten", 2), ("b", "ten", 3)]
    found = summed(Done(Share(code, name, 1, 0, 4), count, 1.0) for code, name, count in tried)
    assert {name: (one.commit, one.tries) for name, one in found.items()} == {"ten": ("b", 5), "all": ("a", 1)}


def test_a_share_can_be_done_again_by_hand() -> None:
    assert Share("c", "ten", 2, 3, 4).again == "python -m tests.trust.share ten 4 2003"


def test_the_page_tells_of_every_promise() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in promises() if f"\n### {name} — " not in text] == []
