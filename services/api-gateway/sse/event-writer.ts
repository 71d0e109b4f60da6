import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../lib/clock';
import type { JsonObject } from '../../../lib/json';
import type { RunEvent } from '../../executor/contract';
import type { Heard } from './hearing';

const COMMENT_EVERY_MS = 15_000;
const SLOWEST_DRAIN_MS = 30_000;
const RETRY_MS = 2_000;

/**
 * Writes server-sent events (HTML standard section 9.2). Waits for slow clients, and drops one who takes nothing for
 * half a minute. A comment now and then keeps proxies from closing a quiet stream.
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

  write({ position, event, data }: RunEvent): Promise<void> {
    return this.#send(`id: ${position}\n`, event, data);
  }

  /** An event that has no place in the stream's order: nobody can come back behind it. */
  tell(event: string, data: JsonObject): Promise<void> {
    return this.#send('', event, data);
  }

  /** Pieces of a text as events of this name, and `reset` where it begins anew. */
  async tellHeard(heard: readonly Heard[], event: string): Promise<void> {
    for (const each of heard)
      await (each.kind === 'reset' ? this.tell('reset', {}) : this.tell(event, { text: each.text }));
  }

  end(): void {
    this.#cancelComment();
    if (this.open) this.response.end();
  }

  async #send(id: string, event: string, data: JsonObject): Promise<void> {
    if (!this.open) return;
    this.#cancelComment();
    this.#cancelComment = this.#commentLater();
    if (!this.response.write(`${id}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)) await this.#drained();
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
