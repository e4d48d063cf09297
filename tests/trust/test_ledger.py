"""The long form can be broken off and taken up, its figures add up over seeds, and the page shows them."""

from pathlib import Path

from tests.trust.figures import BEGIN, END, write_page
from tests.trust.ledger import Done, Share, keep, read, shares, summed
from tests.trust.promise import Promise, Try

TEN = Promise("ten", "Ten tries.", lambda count, _: iter([Try("x")] * count), 1, 10, 4, ())
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
        done = Done(Share("c", "ten", seed, 0, 4), 4, 60.0, {"x": 4})
        write_page({"ten": TEN}, summed([done]), "c0ffee", page)
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"# Before\n\n{BEGIN}\n")
    assert text.endswith(f"{END}\n\n## After\n")
    assert "| ten | 4 | 10 | 0 | 2 | 1.0 min |" in text
    assert ("old" in text, "c0ffee" in text) == (False, True)
