from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from structlog.testing import capture_logs

from qandai.answer import Answer, Done, Heard, Making, Resolved
from qandai.chat import Step, Trouble
from tests.fakes import ScriptedAsker
from tests.web.conftest import Bench
from tests.web.telling import essay, events, shelves

QUESTION = {"person": "ann", "question": "How do bees dance?"}
TROUBLES = (
    Trouble("select", "first", "spent", "wait", 19.25, "limit 8000"),
    Trouble("select", "second", "key", "stop", None, "invalid key"),
    Trouble("select", "third", "gone", "alert", None, "no such model"),
)


def failed() -> Answer:
    return replace(essay(), essay=None, making=Making("clip", troubles=TROUBLES, lacking=("clip",)))


def test_every_answer_is_one_line_however_it_was_asked(bench: Callable[..., Bench]) -> None:
    client = bench(asker=ScriptedAsker(shelves(), *events())).client
    with capture_logs() as lines:
        client.post("/api/ask", json=QUESTION)
        client.post("/api/ask/stream", json=QUESTION).get_data()
        client.get("/ann?q=How+do+bees+dance").get_data()
        client.post("/api/search", json=QUESTION)
    told = [line for line in lines if line["event"] == "ask"]
    assert [line["mode"] for line in told] == ["synthesis"] * 3 + ["sources"]
    assert [line["model"] for line in told] == ["a-model"] * 3 + [None]
    assert not any("bees" in str(line) for line in told)


def test_the_operator_reads_what_no_visitor_does(bench: Callable[..., Bench]) -> None:
    whole = failed()
    client = bench(asker=ScriptedAsker(shelves(), Resolved(whole.making), Heard(whole), Done(whole))).client
    with capture_logs() as lines:
        body = client.post("/api/ask", json=QUESTION).get_data(as_text=True)
    (line,) = (line for line in lines if line["event"] == "ask")
    assert line["lacking"] == ["clip"]
    assert line["short_circuited"] is False
    assert line["troubles"][0] == {
        "step": "select",
        "model": "first",
        "cause": "spent",
        "remedy": "wait",
        "wait": 19.2,
        "said": "limit 8000",
    }
    alarms = [line for line in lines if line["log_level"] == "warning"]
    assert [(alarm["model"], alarm["remedy"]) for alarm in alarms] == [("second", "stop"), ("third", "alert")]
    assert "QANDAI_MODEL_SELECT" in alarms[1]["hint"]
    assert not any(trouble.said in body for trouble in TROUBLES)


def test_a_refused_key_is_one_alarm_however_many_steps_it_stops(bench: Callable[..., Bench]) -> None:
    steps: tuple[Step, ...] = ("expand", "classify", "select", "synthesise")
    troubles = tuple(Trouble(step, f"{step}-model", "key", "stop", None, "invalid key") for step in steps)
    whole = replace(essay(), making=Making("synthesis", troubles=troubles, lacking=("clip", "text")))
    client = bench(asker=ScriptedAsker(shelves(), *events(whole))).client
    with capture_logs() as lines:
        client.post("/api/ask", json=QUESTION)
    alarms = [line for line in lines if line["log_level"] == "warning"]
    assert [(alarm["model"], alarm["said"]) for alarm in alarms] == [("expand-model", "invalid key")]
