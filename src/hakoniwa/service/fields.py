"""What strangers may name and say: the shapes of names, numbers and texts in requests."""

from typing import Annotated

from fastapi import Path, Query
from pydantic import Field

from hakoniwa.ghost.chat import LONGEST
from hakoniwa.journal import MAIN
from hakoniwa.stage.world import MAX_NAME
from hakoniwa.turn import Value

MAX_ID = 128
MAX_QUERY = 400
MAX_FORGOTTEN = 1_000
LARGEST = 2**63 - 1
PLAIN = r"^[^\x00-\x1f\x7f]*$"
LINES = r"^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]*$"
NEW = r"^\w[\w.-]*$"
TITLE = r"^\w[\w .、。・！？「」『』-]*$"

Id = Annotated[str, Field(min_length=1, max_length=MAX_ID, pattern=PLAIN)]
NewId = Annotated[str, Field(min_length=1, max_length=MAX_NAME, pattern=NEW)]
Title = Annotated[str, Field(min_length=1, max_length=MAX_NAME, pattern=TITLE)]
Label = Annotated[str, Field(min_length=1, max_length=MAX_NAME, pattern=PLAIN)]
Text = Annotated[str, Field(min_length=1, max_length=LONGEST, pattern=LINES)]
Seq = Annotated[int, Field(ge=1, le=LARGEST, strict=True)]

ChatId = Annotated[Id, Path(alias="id")]
GardenId = Annotated[Id, Path()]
Who = Annotated[Id, Path()]
OnBranch = Annotated[Id, Query(description="The line of play")]


class OnLine(Value):
    """A request about one line of play."""

    branch: Id = MAIN
