"""The published JSON Schemas: what an editor may offer, short forms included."""

from typing import Any

from pydantic import BaseModel

DIALECT = "https://json-schema.org/draft/2020-12/schema"
ONE_OR_MORE = {
    "Deed": ("target", "destination"), "Urge": ("who",), "When": ("label", "weather", "after", "before"),
    "Ending": ("who",), "Topic": ("to",),
}  # fmt: skip


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """The schema of the YAML files a model is read from."""
    schema = model.model_json_schema()
    for name, node in schema.get("$defs", {}).items():
        for field in ONE_OR_MORE.get(name, ()):
            node["properties"][field] = _or_text(node["properties"][field])
    if definitions := schema.get("$defs", {}):
        _short_forms(definitions)
    if "opening" in schema["properties"]:
        schema["properties"]["opening"] = _or_text(schema["properties"]["opening"])
    return {"$schema": DIALECT, **schema}


def _short_forms(definitions: dict[str, Any]) -> None:
    """What the loader accepts beyond the fields themselves: 開ける(要:鍵), plain lists of exits, things in things, what
    is needed of other things."""
    if "Affordance" in definitions:
        states = definitions["Affordance"]["properties"]["needs"]
        elsewhere = {"type": "object", "additionalProperties": {"type": "string"}}
        mixed = {**states, "items": {"anyOf": [states["items"], elsewhere]}}
        definitions["Affordance"]["properties"]["needs"] = {"anyOf": [mixed, elsewhere]}
        definitions["Affordance"] = _or_text(definitions["Affordance"])
    if "Prop" in definitions:
        definitions["Prop"]["required"] = []
    if "Location" in definitions:
        exits = definitions["Location"]["properties"]["exits"]
        ways = exits["additionalProperties"]
        exits["additionalProperties"] = {"anyOf": [ways, {"type": "null"}]}
        listed = {"type": "array", "items": {"type": "string"}}
        definitions["Location"]["properties"]["exits"] = {"anyOf": [exits, listed]}


def _or_text(node: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [node, {"type": "string"}]}
