import { createParser } from 'eventsource-parser';

/** A server-sent event. `id` is that of the last event with one. */
export interface ServerEvent {
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

/** How a stream ended: completely, or with a lost connection. */
export type StreamEnd = 'finished' | 'cut';

/** Maximum characters of one event; an Everstep server sends no longer ones. */
const MAX_EVENT_CHARS = 32 * 1024 * 1024;

/**
 * Reads a stream to its end; calls `onAlive` for any data. A lost connection ends it as `cut`.
 * @throws RangeError for an event that is too long
 */
export async function readEvents(
  response: Response,
  onEvent: (event: ServerEvent) => void,
  onAlive: () => void,
): Promise<StreamEnd> {
  let id: string | null = null;
  let ended = false;
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARS,
    onEvent: ({ id: own, event = 'message', data }) => {
      id = own ?? id;
      ended ||= event === 'end';
      onEvent({ id, event, data });
    },
    onError: ({ type, message }) => {
      if (type === 'max-buffer-size-exceeded') throw new RangeError(message);
    },
  });
  const text = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    let piece: Awaited<ReturnType<NonNullable<typeof text>['read']>> | undefined;
    try {
      piece = await text?.read();
    } catch {
      // Connection lost or silent for too long: the caller resumes after the last event.
      return 'cut';
    }
    if (piece === undefined || piece.done) return ended ? 'finished' : 'cut';
    onAlive();
    parser.feed(piece.value);
  }
}
