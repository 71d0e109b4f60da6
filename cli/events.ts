/** A server-sent event (HTML, section 9.2). `id` is that of the last event which had one. */
export interface ServerEvent {
  readonly id: string | null;
  readonly event: string;
  readonly data: string;
}

/** How a stream has ended: the server had nothing (more) to tell, or the way to it was cut. */
export type StreamEnd = 'finished' | 'cut';

/** Longest event, and longest line of one; beyond that the stream is of no server of ours. Characters. */
const MOST = 32 * 1024 * 1024;

/** Turns pieces of a stream's text into events. */
export class EventReader {
  #rest = '';
  #id: string | null = null;
  #event = '';
  #data: string[] = [];
  #size = 0;

  /** Events that are whole with this piece. @throws RangeError for an event without end */
  read(piece: string): ServerEvent[] {
    const events: ServerEvent[] = [];
    const lines = (this.#rest + piece).split(/\r\n|\n|\r(?=[^\n])/);
    this.#rest = lines.pop() ?? '';
    if (this.#rest.length > MOST) throw new RangeError('an event of the stream has no end');
    for (const line of lines) {
      if (line === '') events.push(...this.#flush());
      else this.#field(line);
    }
    return events;
  }

  #field(line: string): void {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'event') this.#event = value;
    else if (name === 'data') this.#take(value);
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
  }

  #take(line: string): void {
    this.#size += line.length + 1;
    if (this.#size > MOST) throw new RangeError('an event of the stream has no end');
    this.#data.push(line);
  }

  #flush(): ServerEvent[] {
    const event = { id: this.#id, event: this.#event || 'message', data: this.#data.join('\n') };
    const empty = this.#data.length === 0;
    this.#event = '';
    this.#data = [];
    this.#size = 0;
    return empty ? [] : [event];
  }
}

/** Reads a stream to its end; `heard` at each sign of life. A way that breaks is an end like another: `cut`. */
export async function readEvents(
  response: Response,
  tell: (event: ServerEvent) => void,
  heard: () => void,
): Promise<StreamEnd> {
  const reader = new EventReader();
  let ended = false;
  const text = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    let piece: Awaited<ReturnType<NonNullable<typeof text>['read']>> | undefined;
    try {
      piece = await text?.read();
    } catch {
      // The connection broke, or was silent too long: whoever reads on does so behind the last event.
      return 'cut';
    }
    if (piece === undefined || piece.done) return ended ? 'finished' : 'cut';
    heard();
    for (const event of reader.read(piece.value)) {
      ended ||= event.event === 'end';
      tell(event);
    }
  }
}
