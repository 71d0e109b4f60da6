import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../lib/clock';
import type { JsonObject } from '../../../lib/json';
import type { RunEvent } from '../../../contracts/executions/views';
import type { OutputPiece } from './output-text';

const COMMENT_EVERY_MS = 15_000;
const SLOWEST_DRAIN_MS = 30_000;
const RETRY_MS = 2_000;
/** Of events that several streams send. */
const written = new WeakMap<RunEvent, Buffer>();

function bytesOf(event: RunEvent): Buffer {
  const known = written.get(event);
  if (known !== undefined) return known;
  const { position, event: name, data } = event;
  const bytes = Buffer.from(`id: ${position}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  written.set(event, bytes);
  return bytes;
}

/**
 * Writes server-sent events (HTML standard section 9.2). Waits for slow clients, and disconnects one that reads nothing for
 * 30 seconds. A comment now and then keeps proxies from closing a quiet stream.
 */
export class EventWriter {
  #open = true;
  #cancelComment: () => void;

  constructor(
    private readonly response: ServerResponse,
    private readonly clock: Clock,
  ) {
    response.once('close', () => {
      this.#open = false;
      this.#cancelComment();
    });
    response.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    });
    response.write(`retry: ${RETRY_MS}\n\n`);
    this.#cancelComment = this.#commentLater();
  }

  get open(): boolean {
    return this.#open && !this.response.destroyed;
  }

  write(event: RunEvent): Promise<void> {
    return this.#sendBytes(bytesOf(event));
  }

  /** Sends an event without a position: a client cannot resume after it. */
  writeUnnumbered(event: string, data: JsonObject): Promise<void> {
    return this.#send(event, data);
  }

  /** Pieces of a text as events of this name, and `reset` where it begins anew. */
  async writeOutput(pieces: readonly OutputPiece[], event: string): Promise<void> {
    for (const each of pieces)
      await (each.kind === 'reset'
        ? this.writeUnnumbered('reset', {})
        : this.writeUnnumbered(event, { text: each.text }));
  }

  end(): void {
    this.#cancelComment();
    if (this.open) this.response.end();
  }

  #send(event: string, data: JsonObject): Promise<void> {
    return this.#sendBytes(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  async #sendBytes(bytes: string | Buffer): Promise<void> {
    if (!this.open) return;
    this.#cancelComment();
    this.#cancelComment = this.#commentLater();
    if (!this.response.write(bytes)) await this.#drained();
  }

  async #drained(): Promise<void> {
    const cancel = this.clock.after(SLOWEST_DRAIN_MS, () => this.response.destroy());
    await new Promise<void>((resolve) => {
      const settle = (): void => {
        this.response.off('drain', settle).off('close', settle);
        resolve();
      };
      this.response.on('drain', settle).on('close', settle);
    });
    cancel();
  }

  #commentLater(): () => void {
    return this.clock.after(COMMENT_EVERY_MS, () => {
      if (!this.open) return;
      // A client that takes nothing gets no more to take; `#drained` decides over it.
      if (!this.response.writableNeedDrain) this.response.write(': still here\n\n');
      this.#cancelComment = this.#commentLater();
    });
  }
}
