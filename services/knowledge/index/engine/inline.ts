import { type Answered, type Asked, type CallName, EngineLost, type IndexEngine } from './calls';
import { Engine } from './engine';
import { Slices } from './slices';

/** An engine in this very thread: the same in all but that its work holds up the event loop, slice by slice. */
export class InlineEngine implements IndexEngine {
  readonly #engine = Engine.create();
  #closed = false;

  async ask<K extends CallName>(call: K, asked: Asked<K>, signal?: AbortSignal): Promise<Answered<K>> {
    signal?.throwIfAborted();
    if (this.#closed) throw new EngineLost('The index is closed');
    const slices = new Slices();
    const abort = (): void => slices.abandon();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      return await (await this.#engine).answer(call, asked, slices);
    } catch (fault) {
      signal?.throwIfAborted();
      throw fault;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
  }
}
