"""How much of what answers a question comes to mind: recall@12 over a written diary of 300 exchanges in Japanese, and
over one in English, whose exchanges belong to talks. There are no vectors for English without a model server.

`recall` is the product's own, without a model. Beside it, on the same vectors: what the same words alone find, what
vectors alone find, and the formula of Generative Agents (Park et al., 2023): recency, importance and relevance, each
brought to 0 to 1, in equal shares as the paper has them and in those of the code that came with it. The importance of
an exchange is the diary's own, and its recency counts from when it was said. Weights are chosen on `tune`."""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from hakoniwa.memory.embedding import Embedder, Vector
from hakoniwa.memory.embedding.ginza import GinzaEmbedder, is_installed
from hakoniwa.memory.recall import recall
from hakoniwa.memory.retrieval_plan import PersonaFocusHint, plan_for
from hakoniwa.memory.sources import SourceQuery, sources
from hakoniwa.memory.words import words
from tests.memory.diary.book import Page, Question, asked_at, pages, questions
from tests.memory.diary.lived import Diarist

AT_MOST = 12
TRIES = 5
FADES = 0.995  # an hour
PAPER, CODE = (1.0, 1.0, 1.0), (0.5, 2.0, 3.0)  # recency, importance, relevance
FULL, SMALLEST = 1, 40  # every question, or one of so many
GROUPS = ("all", "tune", "held_out", "lexical", "paraphrase", "beside", "time", "person", "vague")

Answer = Callable[[str], Sequence[int]]
Scores = NDArray[np.floating]


def by_recall(diarist: Diarist) -> Answer:
    """What the product calls to mind by rule; asked again if a busy machine kept a source from answering in time."""

    def answer(ask: str) -> list[int]:
        for _ in range(TRIES):
            made = asyncio.run(recall(diarist.ghost, ask, asked_at(diarist.language), None, limit=AT_MOST))
            if not made.missed:
                break
        assert not made.missed, made.missed
        return [diarist.page[one.key] for one in made.chosen]

    return answer


def by_source(diarist: Diarist, name: str) -> Answer:
    """What a single source finds."""

    def answer(ask: str) -> list[int]:
        finds = sources[name].find(diarist.ghost, _asked(diarist, ask))
        return [diarist.page[one.key] for one in finds[:AT_MOST]]

    return answer


def _asked(diarist: Diarist, ask: str) -> SourceQuery:
    now, language = asked_at(diarist.language), diarist.language
    plan = plan_for(ask, now, PersonaFocusHint(), language)
    return SourceQuery(plan=plan, words=words(ask, language), vector=_vector(diarist, ask), reply_to=None, now=now)


def _vector(diarist: Diarist, ask: str) -> Future[Vector] | None:
    if diarist.embedder is None:
        return None
    vector: Future[Vector] = Future()
    vector.set_result(diarist.embedder.embed([ask])[0])
    return vector


def by_formula(diary: Sequence[Page], embedder: Embedder, shares: tuple[float, float, float]) -> Answer:
    """Recency, importance and relevance, in these shares."""
    recency, importance, relevance = shares
    hours = np.array([(asked_at() - page.at).total_seconds() / 3600 for page in diary])
    weighty = np.array([page.importance for page in diary], float)
    fixed = recency * _spread(FADES**hours) + importance * _spread(weighty)
    vectors = embedder.embed([page.text for page in diary])

    def answer(ask: str) -> list[int]:
        scores = fixed + relevance * _spread(vectors @ embedder.embed([ask])[0])
        return [diary[at].id for at in np.argsort(-scores, kind="stable")[:AT_MOST]]

    return answer


def _spread(scores: Scores) -> Scores:
    """From 0 to 1."""
    least, most = scores.min(), scores.max()
    return (scores - least) / (most - least) if most > least else np.zeros_like(scores)


def recalled(answer: Answer, asked: Sequence[Question]) -> dict[str, float]:
    """The mean recall of each set and kind of questions, and of all."""
    shares = [(one, one.recall(answer(one.ask))) for one in asked]
    named = {name: [share for one, share in shares if name in ("all", one.set, one.kind)] for name in GROUPS}
    return {name: fmean(group) for name, group in named.items() if group}


def japanese(one_of: int) -> None:
    embedder, diary, asked = GinzaEmbedder(), pages(), questions()[::one_of]
    diarist = Diarist(embedder)
    ways: dict[str, Answer] = {
        "recall (the product's)": by_recall(diarist),
        "full text alone": by_source(diarist, "full_text"),
        "vectors alone": by_source(diarist, "vector_global"),
        "agents, paper's shares": by_formula(diary, embedder, PAPER),
        "agents, code's shares": by_formula(diary, embedder, CODE),
    }
    print_table(f"{len(asked)} questions over {len(diary)} exchanges, vectors of {embedder.name}", ways, asked)


def english(one_of: int) -> None:
    diarist, asked = Diarist(None, "en"), questions("en")[::one_of]
    ways = {"recall (the product's)": by_recall(diarist), "full text alone": by_source(diarist, "full_text")}
    print_table(f"{len(asked)} questions over {len(pages('en'))} exchanges, no vectors", ways, asked)


def print_table(title: str, ways: dict[str, Answer], asked: Sequence[Question]) -> None:
    print(f"  recall@{AT_MOST}, {title}")
    print(f"  {'':<24}" + "".join(f"{name:>11}" for name in GROUPS))
    for name, answer in ways.items():
        shares = recalled(answer, asked)
        told = (f"{shares[group]:.2f}" if group in shares else "-" for group in GROUPS)
        print(f"  {name:<24}" + "".join(f"{share:>11}" for share in told))


def main(one_of: int) -> None:
    if is_installed():
        japanese(one_of)
    else:
        print("  ja-ginza is not installed (make vectors)")
    english(one_of)
