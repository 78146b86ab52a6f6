"""`qandai ask`: the same answer as the site's, in the terminal."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import closing

import click
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from qandai import compose, links
from qandai.errors import UsageError
from qandai.settings import Settings
from qandai.web import answers, phrases, schemas
from qandai.web.desk import Desk, Reply
from qandai.web.requests import AskRequest, Malformed, parse

_OTHER_WORDS = 18  # of each other moment, enough to recognise it
_WIDTH = 100


@click.command("ask")
@click.argument("person")
@click.argument("question")
@click.option(
    "--mode",
    type=click.Choice(["auto", "clip", "synthesis", "sources"]),
    default="auto",
    show_default=True,
    help="clip: the moment that answers. synthesis: an answer from the whole archive. sources: the nearest passages.",
)
@click.option("--top-k", type=click.IntRange(1, 20), help="Excerpts that are read, and moments that are shown.")
@click.option("--json", "as_json", is_flag=True, help="Print what the API answers.")
@click.pass_context
def command(ctx: click.Context, person: str, question: str, *, mode: str, top_k: int | None, as_json: bool) -> None:
    """Ask PERSON a QUESTION and see the second where the recording answers it.

    "They never said" is an answer too: the exit code is 0.
    """
    settings: Settings = ctx.obj
    try:
        asked = parse(AskRequest, {"person": person, "question": question, "mode": mode, "top_k": top_k})
    except Malformed as exc:
        raise UsageError(exc.message) from exc
    site = compose.site(settings)
    with closing(site.asker):
        reply = Desk(site).ask(asked)
    response = answers.ask_response(reply, uuid.uuid4().hex)
    if as_json:
        click.echo(response.model_dump_json(indent=2))
    else:
        console = Console(width=min(_WIDTH, Console().width))
        for line in _drawn(response, reply.person.name):
            console.print(line, crop=False)
    for cause in _causes(reply) if response.degraded else ():
        click.echo(cause, err=True)


def _causes(reply: Reply) -> Iterator[str]:
    """Why models failed, each reason once: `serve` logs it, and here whoever asks is the operator."""
    troubles = () if isinstance(reply.result, tuple) else reply.result.making.troubles
    for said, trouble in {trouble.said: trouble for trouble in reversed(troubles)}.items():
        yield f"{trouble.model} did not {trouble.step}: {said}"


def _drawn(response: schemas.AskResponse, name: str) -> Iterator[Text | Padding]:
    yield Text()
    if response.clip:
        yield from _moment(response.clip, name)
        if response.mode == "synthesis":
            yield from _essay(response)
    elif response.sources:
        for source in response.sources:
            yield from _source(source)
    else:
        yield Padding(Text(response.answer, style="bold"), (0, 2))
    if response.alternatives:
        yield Text()
        yield Text("Other moments" if response.answered else "The nearest moments, which do not answer it", style="dim")
        for other in response.alternatives:
            yield from _other(other)
    if response.degraded:
        yield Text()
        yield Text(response.degraded, style="yellow")
    held = response.coverage
    yield Text()
    recordings = f"{held.videos} recording{'s' * (held.videos != 1)}"
    took = f"{response.timings_ms.total:.0f} ms"
    by = f" · {response.model}" if response.model else ""
    yield Text(f"{recordings}, {phrases.plain_length(held.hours)} · {took}{by}", style="dim")


def _moment(clip: schemas.Clip, name: str) -> Iterator[Text | Padding]:
    yield Padding(Text(f"“{clip.quote}”", style="bold"), (0, 2))
    yield Text()
    about = " · ".join(part for part in (name, clip.title, clip.published) if part)
    yield Padding(Text(about), (0, 2))
    until = links.timestamp(clip.end)
    second = f"{clip.timestamp}–{until}  (from second {clip.start:.2f}{'' if clip.exact else ', estimated'})"
    yield Padding(Text(second, style="green"), (0, 2))
    yield _link(clip.url, 2)


def _essay(response: schemas.AskResponse) -> Iterator[Text | Padding]:
    """The text with its numbers, and where each of them leads. A highlight that is the clip stands there already."""
    quote = response.clip.quote if response.clip else ""
    for paragraph in response.answer.split("\n"):
        if paragraph and not (quote and paragraph.startswith(f"“{quote}”")):
            yield Padding(Text(paragraph), (1, 2, 0, 2))
    meta = response.meta
    told = [f"Drawn from {meta.scale}"] if meta and meta.scale else []
    told += [", ".join(meta.themes)] if meta and meta.themes else []
    if told:
        yield Text()
        yield Padding(Text(" · ".join(told), style="dim"), (0, 2))
    yield Text()
    for source in response.sources:
        if f"[{source.n}]" in response.answer:
            yield Padding(Text.assemble(f"[{source.n}] ", (source.timestamp, "green"), f"  {source.title}"), (0, 2))
            yield _link(source.url, 6)


def _other(clip: schemas.Clip) -> Iterator[Text | Padding]:
    words = clip.quote.split()
    quote = " ".join(words[:_OTHER_WORDS]) + (" …" if len(words) > _OTHER_WORDS else "")
    yield Padding(Text.assemble((clip.timestamp, "green"), f"  {clip.title}"), (0, 2))
    yield Padding(Text(f"“{quote}”"), (0, 4))
    yield _link(clip.url, 4)


def _source(source: schemas.Source) -> Iterator[Padding | Text]:
    yield Padding(Text.assemble((f"{source.n}. ", "bold"), (source.timestamp, "green"), f"  {source.title}"), (0, 2))
    yield Padding(Text(f"“{source.text}”"), (0, 5))
    yield Padding(Text(f"{source.passage_id}  score {source.score:.3f}", style="dim"), (0, 5))
    yield _link(source.url, 5)


def _link(url: str, indent: int) -> Text:
    """On a line of its own, never broken, so that it can be clicked or copied. An address on the site itself is dim:
    no terminal can open it."""
    style = "blue underline" if url.startswith("http") else "dim"
    return Text.assemble(" " * indent, (url, style), no_wrap=True, overflow="ignore")
