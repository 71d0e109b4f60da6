import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { ServerEvent } from './client.ts';
import { EverstepError } from './error.ts';

/** Characters of one event; a server of Everstep sends no longer ones. */
const MAX_EVENT_CHARS = 32 * 1024 * 1024;

/** What a connection has brought: events, or a sign that the server is alive (`null`), such as a comment. */
export type StreamPiece = ServerEvent | null;

/**
 * The events of a body of type text/event-stream. Ends when the body ends and when the connection breaks.
 * @throws EverstepError for data that is not JSON, and for an event that is too long
 */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamPiece> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const messages: EventSourceMessage[] = [];
  let id: string | null = null;
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARS,
    onEvent: (message) => messages.push(message),
    onError: ({ type, message }) => {
      if (type === 'max-buffer-size-exceeded') throw unreadable(message);
    },
  });
  try {
    for (;;) {
      // A broken connection ends the body; the caller continues behind the last event.
      const piece = await reader.read().catch(() => null);
      if (piece === null || piece.done) return;
      yield null;
      parser.feed(decoder.decode(piece.value, { stream: true }));
      for (const { id: own, event = 'message', data } of messages.splice(0)) {
        // An event without an id has that of the one before it.
        id = own ?? id;
        yield { id, event, data: parsed(data) };
      }
    }
  } finally {
    // Also when the caller stops before the end.
    await reader.cancel().catch(() => undefined);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw unreadable('The data of an event is not JSON', cause);
  }
}

const unreadable = (message: string, cause?: unknown): EverstepError =>
  new EverstepError(message, { status: 200, code: 'unknown' }, { cause });
