/**
 * The conversation: pages of finished items, and the text that is still streaming.
 *
 * Owns how a page replaces what it covers and how pieces are put together by index.
 * Invariant: an item is either finished or streaming, never both; ids are unique.
 */
import type { TranscriptItem, TranscriptReadResult, TurnDeltaParams } from "../protocol.gen";
import type { Conversation, Stream } from "./state";

/** The newest page: what it covers is replaced, what is older stays if the two touch. */
export function withNewestPage(conversation: Conversation, page: TranscriptReadResult): Conversation {
  if (page.revision < conversation.revision) return conversation;
  const kept = page.older ? olderThan(conversation.items, page.items[0]) : [];
  return {
    items: [...kept, ...page.items],
    older: kept.length > 0 ? conversation.older : page.older,
    revision: page.revision,
    streams: unfinished(conversation.streams, page.items),
  };
}

/** A page before the first item; one that does not end there any more is dropped. */
export function withOlderPage(conversation: Conversation, before: string, page: TranscriptReadResult): Conversation {
  if (conversation.items[0]?.itemId !== before) return conversation;
  return { ...conversation, items: [...page.items, ...conversation.items], older: page.older };
}

/** A piece of streamed text: in order it is appended, twice it is ignored, late it leaves a gap. */
export function withDelta(conversation: Conversation, delta: TurnDeltaParams): Conversation {
  if (conversation.items.some((item) => item.itemId === delta.itemId)) return conversation;
  const old = conversation.streams.find((stream) => stream.itemId === delta.itemId);
  const stream = extend(old ?? started(delta), delta);
  if (stream === old) return conversation;
  const streams =
    old === undefined
      ? [...conversation.streams, stream]
      : conversation.streams.map((each) => (each === old ? stream : each));
  return { ...conversation, streams };
}

/** No turn runs any more: what has not been finished by now never will be. */
export function settled(conversation: Conversation): Conversation {
  return conversation.streams.length === 0 ? conversation : { ...conversation, streams: [] };
}

function started(delta: TurnDeltaParams): Stream {
  const { itemId, turnId, kind } = delta;
  return { itemId, turnId, kind, text: "", nextIndex: 0, gap: false, done: false };
}

function extend(stream: Stream, delta: TurnDeltaParams): Stream {
  if (delta.index < stream.nextIndex) return stream;
  const gap = stream.gap || delta.index > stream.nextIndex;
  return {
    ...stream,
    text: gap ? stream.text : stream.text + delta.text,
    nextIndex: delta.index + 1,
    gap,
    done: stream.done || delta.done,
  };
}

function olderThan(items: readonly TranscriptItem[], first: TranscriptItem | undefined): readonly TranscriptItem[] {
  const at = items.findIndex((item) => item.itemId === first?.itemId);
  return at < 0 ? [] : items.slice(0, at);
}

function unfinished(streams: readonly Stream[], items: readonly TranscriptItem[]): readonly Stream[] {
  const finished = new Set(items.map((item) => item.itemId));
  return streams.filter((stream) => !finished.has(stream.itemId));
}
