"""What every ChatModel promises, for a model that is about to say something."""

from collections.abc import AsyncGenerator

from hakoniwa.llm import ChatModel, Message, Usage

ASKED = [Message(role="user", content="やあ。元気にしていた？ 今日は何をしていたの。")]
PURPOSE = "actor.think"


async def everything(model: ChatModel) -> list[str | Usage]:
    return [piece async for piece in model.chat(ASKED, PURPOSE, 100)]


async def keeps_the_promises(model: ChatModel, line: str) -> None:
    """Text in pieces, then what it cost, last and once; a stream that is closed early lets go without a fuss."""
    assert model.name
    assert model.context >= 0
    *texts, usage = await everything(model)
    assert "".join(str(piece) for piece in texts) == line
    assert all(isinstance(piece, str) and piece for piece in texts)
    assert isinstance(usage, Usage)
    assert usage.tries >= 1
    await stops_when_closed(model)


async def stops_when_closed(model: ChatModel) -> None:
    stream = model.chat(ASKED, PURPOSE, 100)
    assert isinstance(stream, AsyncGenerator)
    assert await anext(stream)
    await stream.aclose()
    assert [piece async for piece in stream] == []
