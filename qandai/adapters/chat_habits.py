"""How one model at one server likes to be asked: what it takes for its thinking, and what it refused once.

What servers take differs, and is documented loosely. So each thing that a request says in several ways begins with
the best, and goes on to the next when a refusal names it; that is remembered.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Literal

from qandai.chat import Form, Prompt

Kind = Literal["groq", "openai", "server"]
"""Whose rules a server follows: Groq's, OpenAI's, or one that speaks their language, such as Ollama or llama.cpp."""

_THINKING = {"none": 0, "minimal": 256, "low": 512}  # tokens beyond the visible reply, by effort
_UNTOLD = 1024  # where it thinks and takes no effort


@dataclass(frozen=True, slots=True)
class Way:
    """One thing that a request says. `options`: best first; None leaves it out. `names`: how refusals call it."""

    field: str
    options: tuple[object, ...]
    names: tuple[str, ...]


def ways_of(model: str, kind: Kind) -> tuple[Way, ...]:
    name = model.lower().rpartition("/")[2]
    strict = re.match(r"gpt-oss|gpt-4o|gpt-4\.1|gpt-[5-9]|o\d", name) is not None
    forms: tuple[str, ...] = ("strict", "schema", "object", "text")
    lengths = ("max_completion_tokens", "max_tokens")
    return (
        Way(
            "form",
            forms if strict else forms[1:],
            ("response_format", "response format", "json_schema", "json_object", "json", "schema", "strict", "grammar"),
        ),
        # Ollama takes only max_tokens and ignores what it does not know: a reply without an end.
        Way("length", lengths[::-1] if kind == "server" else lengths, lengths),
        Way("temperature", (0, None), ("temperature",)),
        *_thinking(name, kind),
    )


def _thinking(name: str, kind: Kind) -> tuple[Way, ...]:
    """Nothing for models that do not think."""
    efforts: tuple[object, ...]
    if re.match(r"gpt-oss|o\d", name):
        efforts = ("low", None)
    elif re.match(r"gpt-5(?![.\d])", name):
        efforts = ("minimal", "low", None)
    elif re.match(r"gpt-[5-9]|qwen-?3", name):
        efforts = ("none", "low", None)
    else:
        return ()
    effort = Way("reasoning_effort", efforts, ("reasoning_effort", "reasoning", "thinking", "effort"))
    if not name.startswith("qwen"):
        return (effort,)
    if kind == "groq":  # by itself it writes its thoughts into the reply, which JSON forms do not allow
        return (effort, Way("reasoning_format", ("hidden", None), ("reasoning_format",)))
    template = Way("chat_template_kwargs", ({"enable_thinking": False}, None), ("chat_template_kwargs",))
    return (effort, template)


class Habits:
    """What one model takes, as far as it is known. Threads share it."""

    def __init__(self, ways: Sequence[Way]) -> None:
        self._ways = tuple(ways)
        self._lock = Lock()
        self._at = {way.field: 0 for way in self._ways}

    def now(self, prompt: Prompt) -> Mapping[str, object]:
        """What to say next, by field; without a form where the prompt has none."""
        with self._lock:
            return {
                way.field: way.options[self._at[way.field]]
                for way in self._ways
                if way.field != "form" or prompt.form is not None
            }

    def learn(self, used: Mapping[str, object], param: str, said: str) -> bool:
        """Whether a refusal names something that can be said otherwise, or left out. `param`: its name, where the
        server gives it. Of several names in a message the longest is meant: reasoning_format before reasoning."""
        for words in (param.lower(), said.lower()):
            named = [
                (len(name), way)
                for way in self._ways
                if used.get(way.field) is not None and used[way.field] != way.options[-1]
                for name in way.names
                if name in words
            ]
            if named:
                self._go_on(max(named, key=lambda pair: pair[0])[1], used)
                return True
        return False

    def _go_on(self, way: Way, used: Mapping[str, object]) -> None:
        with self._lock:
            if way.options[self._at[way.field]] == used[way.field]:  # else another thread has learned it meanwhile
                self._at[way.field] += 1


def messages(prompt: Prompt, used: Mapping[str, object]) -> tuple[str, str]:
    """(system, user). Where no server holds the reply to its form, the prompt has to."""
    if prompt.form is None or used.get("form") in ("strict", "schema"):
        return prompt.system, prompt.user
    schema = json.dumps(prompt.form.schema, ensure_ascii=False)
    return f"{prompt.system}\n\nReply with one JSON object of this JSON Schema and nothing else: {schema}", prompt.user


def fields(prompt: Prompt, used: Mapping[str, object]) -> dict[str, object]:
    """The rest of a request."""
    sent = {name: value for name, value in used.items() if name not in ("form", "length") and value is not None}
    sent[str(used["length"])] = prompt.longest + _thoughts(used)
    if prompt.form is not None and used["form"] != "text":
        sent["response_format"] = _response_format(prompt.form, str(used["form"]))
    return sent


def _thoughts(used: Mapping[str, object]) -> int:
    """Services count what may be asked for against the minute's tokens: no more than thinking takes."""
    return _THINKING.get(str(used["reasoning_effort"]), _UNTOLD) if "reasoning_effort" in used else 0


def _response_format(form: Form, way: str) -> Mapping[str, object]:
    if way == "object":
        return {"type": "json_object"}
    described: dict[str, object] = {"name": form.name, "schema": form.schema}
    if way == "strict":
        described["strict"] = True
    return {"type": "json_schema", "json_schema": described}
