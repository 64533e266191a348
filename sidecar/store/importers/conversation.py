"""A recorded conversation being read: what every importer says, in the events of our own log.

Owns the ids of imported messages, the turns, and the order in which a bill, its reply and the
results of the reply's calls are told.
Deliberately knows nothing of any format.

Invariants: a bill comes directly before the reply it paid for; results come directly after the
message that asked for them; ids are given in reading order, so reading again gives the same ones.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sidecar.core.events import (
    Added,
    Entry,
    HistoryReset,
    Measured,
    Noted,
    Renamed,
    SessionStarted,
    TurnEnded,
    TurnStarted,
    Usage,
)
from sidecar.core.messages import Message, Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Literal

    from sidecar.core.events import Event
    from sidecar.core.messages import Block, Role

_TITLE_CHARACTERS = 80


def milliseconds(timestamp: object) -> int | None:
    """Unix milliseconds of an ISO time or of a number of milliseconds; None for anything else."""
    if isinstance(timestamp, (int, float)):
        return int(timestamp)
    if not isinstance(timestamp, str):
        return None
    try:
        return int(datetime.fromisoformat(timestamp).timestamp() * 1000)
    except ValueError:
        return None


def text_of(value: object) -> str:
    """A JSON value where a text belongs: itself if it is one, else nothing."""
    return value if isinstance(value, str) else ""


def mapping_of(value: object) -> Mapping[str, Any]:
    """A JSON value where an object belongs: itself if it is one, else an empty one."""
    return value if isinstance(value, dict) else {}


def list_of(value: object) -> list[Any]:
    """A JSON value where a list belongs: itself if it is one, else an empty one."""
    return value if isinstance(value, list) else []


def count_of(value: object) -> int:
    """A JSON value where a count belongs: itself if it is a natural number, else 0."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


@dataclass(slots=True)
class Reply:
    """An answer that is still being read: its blocks, its bill, and what followed meanwhile."""

    message_id: str
    request_id: str
    model: str
    at: int
    blocks: list[Block] = field(default_factory=list)
    usage: Usage | None = None
    followers: list[Message] = field(default_factory=list)


class Conversation:
    """Collects entries; a driver feeds it and takes them with `take()`.

    `history` is the ids of the working messages, oldest first; `spoken` those of its prompts and
    replies, `results` those of its messages with tool results.
    """

    def __init__(self) -> None:
        self.at = 0
        self.model = ""
        self.history: list[str] = []
        self.reply: Reply | None = None
        self._entries: list[Entry] = []
        self._next_message = 0
        self._turn_id = ""
        self._turns = 0
        self._started = False
        self._title = ""
        self._prompts: set[str] = set()
        self._open_calls: set[str] = set()
        self._waiting: list[Message] = []
        self.spoken: set[str] = set()
        self.results: set[str] = set()

    def take(self) -> list[Entry]:
        """The entries since the last call."""
        entries, self._entries = self._entries, []
        return entries

    def say(self, event: Event) -> None:
        """Record an event at the present time of the file."""
        self._entries.append(Entry(self.at, event))

    def begin(self, session_id: str, workspace: str, model: str = "", title: str = "") -> None:
        """The first event, once; a model seen later comes with its bills."""
        if not self._started:
            self._started = True
            self._title = title
            self.model = model
            self.say(SessionStarted(session_id, workspace, title, "import", model=model))

    def retitle(self, title: str) -> None:
        """The session has this title from here on."""
        if title and title != self._title:
            self._title = title
            self.say(Renamed(title))

    def new_id(self) -> str:
        """The next message id."""
        self._next_message += 1
        return f"m{self._next_message}"

    def message(
        self, role: Role, blocks: Iterable[Block], *, synthetic: bool = False, **source: Any
    ) -> Message:
        """A message with a fresh id, not yet part of anything."""
        return Message(self.new_id(), role, tuple(blocks), synthetic, source=source)

    def add(self, message: Message) -> None:
        """The message joins, at once or after the reply that is still being read."""
        if self.reply is not None:
            self.reply.followers.append(message)
        else:
            self._append(message)

    def repeat(self, message: Message) -> None:
        """A compaction says this message again: it joins, and starts no turn."""
        self.close_reply()
        self._release()
        self._take_in(message)
        self.say(Added(message))

    def _append(self, message: Message) -> None:
        """Tell a message; a notice that came between calls and their results waits for these."""
        if message.role == "tool":
            self._open_calls -= {result.tool_use_id for result in message.tool_results()}
        elif self._open_calls and message.synthetic:
            self._waiting.append(message)
            return
        else:
            self._release()
        if message.starts_real_turn():
            self._start_turn(message)
        self._tell(message)
        if not self._open_calls:
            self._release()

    def _release(self) -> None:
        waiting, self._waiting = self._waiting, []
        self._open_calls = set()
        for message in waiting:
            self._tell(message)

    def _tell(self, message: Message) -> None:
        self._take_in(message)
        self.say(Added(message, self._turn_id))

    def _take_in(self, message: Message) -> None:
        self.history.append(message.id)
        if message.role == "tool":
            self.results.add(message.id)
        elif not message.synthetic:
            self.spoken.add(message.id)
        if message.starts_real_turn():
            self._prompts.add(message.id)

    def _start_turn(self, message: Message) -> None:
        self.end_turn()
        self._turns += 1
        self._turn_id = f"t{self._turns}"
        if not self._title:
            text = next((b.text for b in message.content if isinstance(b, Text)), "")
            self.retitle(" ".join(text.split())[:_TITLE_CHARACTERS])
        self.say(TurnStarted(self._turn_id, message.id))

    def end_turn(self) -> None:
        """Whatever turn was running is over."""
        if self._turn_id:
            self.say(TurnEnded(self._turn_id, "end_turn"))
            self._turn_id = ""

    def open_reply(self, request_id: str, model: str) -> Reply:
        """A new answer begins; the one before is complete."""
        self.close_reply()
        self._release()
        self.model = model or self.model
        self.reply = Reply(self.new_id(), request_id, self.model, self.at)
        return self.reply

    def close_reply(self) -> None:
        """Tell the answer that was being read: bill, message, results, whatever else followed."""
        reply, self.reply = self.reply, None
        if reply is None:
            return
        if reply.usage is not None:
            last = self.history[-1] if self.history else ""
            trusted = reply.usage.prompt_tokens > 0
            self.say(Measured(reply.request_id, reply.model, reply.usage, last, trusted=trusted))
        if reply.blocks:
            source = {"model": reply.model}
            message = Message(reply.message_id, "assistant", tuple(reply.blocks), source=source)
            self._tell(message)
            self._open_calls = {use.id for use in message.tool_uses()}
        for follower in sorted(reply.followers, key=lambda message: message.role != "tool"):
            self._append(follower)

    def reset(self, reason: Literal["compaction", "clear", "rewind"], ids: Iterable[str]) -> None:
        """The working history is now these messages, all of which have been added."""
        self._release()
        self.history = list(ids)
        self._prompts.intersection_update(self.history)
        self.spoken.intersection_update(self.history)
        self.results.intersection_update(self.history)
        self.say(HistoryReset(reason, tuple(self.history)))

    def rewind(self, ids: Sequence[str], again: Iterable[Message]) -> None:
        """The person went back to these messages, `again` being ones that had left before."""
        self._release()
        self.end_turn()
        self.history = list(ids)
        for message in again:
            self._take_in(message)
            self.say(Added(message))
        self.reset("rewind", self.history)

    def last_prompts(self, count: int) -> int:
        """The position in the history of the `count`-th last prompt, 0 where there are fewer."""
        places = [i for i, key in enumerate(self.history) if key in self._prompts]
        return places[-count] if 0 < count <= len(places) else 0

    def prompts_kept(self) -> list[str]:
        """The working messages that are prompts: what the oldest kind of compaction keeps."""
        return [key for key in self.history if key in self._prompts]

    def note(self, kind: str, text: str) -> None:
        """Something of the file that is no message and that a reader may want to know."""
        self.say(Noted(kind, text))

    def finish(self) -> None:
        """The file is over."""
        self.close_reply()
        self._release()
        self.end_turn()
