"""The table of faults: each has one name, one kind, and words in both languages."""

import pytest

from hakoniwa.errors import ModelError
from hakoniwa.llm.faults import FURTHER_TRIES, KINDS, fault, fault_key, further_tries, seconds_asked_for
from hakoniwa.messages import LANGUAGES, tell

DETAILS = {
    "server": "http://x/v1", "model": "gemma3", "said": "—", "tries": 3, "seconds": 2.5, "limit": 9, "spent": 10,
    "dim": 3, "expected": 4,
}  # fmt: skip


def test_every_fault_is_there_once() -> None:
    assert len(KINDS) == len(FURTHER_TRIES)


@pytest.mark.parametrize("key", KINDS)
def test_every_fault_can_be_told_in_both_languages(key: str) -> None:
    error = fault(key, **DETAILS)
    assert isinstance(error, ModelError)
    japanese, english = (tell(error, lang) for lang in LANGUAGES)
    assert japanese != english
    assert "{" not in japanese + english


def test_only_what_passes_by_itself_is_tried_again() -> None:
    again = {key for key in KINDS if further_tries(key)}
    passing = {"refused", "rate-limited", "server-error", "loading", "reset"}
    assert again == {f"model.{name}" for name in passing}
    assert max(FURTHER_TRIES.values()) <= 8
    assert further_tries("nobody.knows") == 0


@pytest.mark.parametrize(
    ("status", "said", "key"),
    [
        (400, "This model's maximum context length is 4096 tokens. However, you requested 5000.", "context-too-long"),
        (400, "request (5391 tokens) exceeds the available context size (4096 tokens)", "context-too-long"),
        (500, "Context size has been exceeded.", "context-too-long"),
        (400, "context_length_exceeded", "context-too-long"),
        (400, "Conversation roles must alternate user/assistant", "bad-request"),
        (422, "stream_options: Extra inputs are not permitted", "bad-request"),
        (401, "Incorrect API key", "unauthorised"),
        (403, "forbidden", "unauthorised"),
        (404, "model 'gemma9' not found, try pulling it first", "missing"),
        (404, "The model `gemma9` does not exist.", "missing"),
        (400, "Model gemma9 is not loaded", "missing"),
        (404, "No models loaded. Please load a model", "missing"),
        (404, "404 page not found", "not-a-server"),
        (404, "", "not-a-server"),
        (429, "slow down", "rate-limited"),
        (500, "CUDA error", "server-error"),
        (502, "", "server-error"),
        (503, "Loading model", "loading"),
        (418, "I am a teapot", "bad-request"),
    ],
)
def test_errors_are_named_by_their_words_then_by_their_number(status: int, said: str, key: str) -> None:
    assert fault_key(status, said) == f"model.{key}"


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None), ("", None), ("soon", None), ("2", 2.0), ("0.5", 0.5), ("-3", 0.0),
        ("Thu, 01 Jan 1970 00:01:40 GMT", 90.0), ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0),
    ],
)  # fmt: skip
def test_a_server_may_ask_for_patience(header: str | None, seconds: float | None) -> None:
    assert seconds_asked_for(header, now=10.0) == seconds
