"""What language models do for an answer, a method a step. Without models every step goes without."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from qandai.answer import Statement
from qandai.answering import essay, followups, intent, synthesis, verbatim
from qandai.answering.essay import Declined
from qandai.answering.intent import Intent
from qandai.answering.tail import Tail
from qandai.chain import Chain, Deadline, Outcome, Task, Writing
from qandai.chat import Step
from qandai.errors import Unusable
from qandai.model import Excerpt, Person, Pick, Question, Quote, Span
from qandai.retrieval import rewrites
from qandai.settings import SelectWay

Confirm = Callable[[Pick | Span], Quote | None]
Item = Statement | Tail | Declined


@dataclass(frozen=True, slots=True)
class Reading:
    """How much of an archive a model reads at once: `excerpts` of `chars` characters to choose from, and `broad` of
    `broad_chars` to write from. `brief`: in few words, for models that long rules confuse."""

    excerpts: int = 5
    chars: int = 1000
    broad: int = 8
    broad_chars: int = 900
    brief: bool = False


@dataclass(frozen=True, slots=True)
class Choice:
    """What a model chose. `quote` None: it read all excerpts, and none of them answers."""

    quote: Quote | None


class Models:
    """Threads share it. `way_of`: how a model of that name tells which passage it means."""

    def __init__(
        self,
        chains: Mapping[Step, Chain] | None = None,
        *,
        way_of: Callable[[str], SelectWay] = lambda _: "quote",
        reading: Reading | None = None,
        seconds: float = 8.0,
        hurry: float = 1.2,
        close: Callable[[], None] = lambda: None,
    ) -> None:
        self._chains = dict(chains or {})
        self._way_of = way_of
        self.reading = reading or Reading()
        self._seconds = seconds
        self._hurry = hurry
        self.close = close

    def deadlines(self) -> tuple[Deadline, Deadline]:
        """Of a whole answer that begins now, and of what its search waits for."""
        whole = Deadline(self._seconds)
        return whole, self.hurry(whole)

    def hurry(self, deadline: Deadline) -> Deadline:
        """Of what a search that begins now waits for."""
        return deadline.sooner(self._hurry)

    def do(self, step: Step) -> bool:
        """Whether there is a model for it."""
        return step in self._chains and bool(self._chains[step].models)

    def rewrites(self, question: Question, person: Person, deadline: Deadline) -> Outcome[tuple[str, ...]]:
        """Answers as the person might give them, to search with; never shown."""
        task = Task(rewrites.prompt(question.text, person), rewrites.read)
        return self._of("expand").ask(lambda _: task, deadline)

    def meaning(self, question: Question, person: Person, deadline: Deadline) -> Outcome[str]:
        """A follow-up as a question that stands alone."""
        prompt = followups.prompt(question.text, question.history, person)
        task = Task(prompt, lambda reply: followups.read(reply, question.text))
        return self._of("expand").ask(lambda _: task, deadline)

    def kind(self, question: Question, deadline: Deadline) -> Outcome[Intent]:
        """Whether a place is wanted or what the person thinks."""
        task = Task(intent.prompt(question.text), intent.read)
        return self._of("classify").ask(lambda _: task, deadline)

    def choose(
        self,
        question: Question,
        person: Person,
        excerpts: Sequence[Excerpt],
        confirm: Confirm,
        deadline: Deadline,
    ) -> Outcome[Choice]:
        """The passage that answers. A model whose passage `confirm` does not find is followed by the next."""
        offered = excerpts[: self.reading.excerpts]

        def task_for(model: str) -> Task[Choice]:
            way, reading = self._way_of(model), self.reading

            def read(reply: str) -> Choice:
                claim = verbatim.read(way, reply, offered, chars=reading.chars)
                if claim is None:
                    return Choice(None)
                quote = confirm(claim)
                if quote is None:
                    raise Unusable("it quoted what was never said")
                return Choice(quote)

            prompt = verbatim.prompt(way, question.text, person, offered, chars=reading.chars, brief=reading.brief)
            return Task(prompt, read)

        return self._of("select").ask(task_for, deadline)

    def write(
        self, question: Question, person: Person, excerpts: Sequence[Excerpt], deadline: Deadline
    ) -> Writing[Item]:
        """One answer from all excerpts, sentence by checked sentence. The call begins at once."""
        prompt = synthesis.prompt(question.text, person, excerpts, chars=self.reading.broad_chars)
        read = partial(essay.read, question=question.text, person=person, excerpts=excerpts)
        return self._of("synthesise").stream(prompt, read, deadline)

    def _of(self, step: Step) -> Chain:
        return self._chains.get(step) or Chain(step, ())
