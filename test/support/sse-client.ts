import { setTimeout as sleep } from 'node:timers/promises';

export interface StreamEvent {
  readonly id: number;
  readonly event: string;
  readonly data: { step_id?: string; status?: string };
  readonly at: number;
}

const RECONNECT_MS = 50;

/**
 * Follows a stream of a run to its end, also when servers fail: reconnects after the last event that it
 * has, each time to the server that `url` names then.
 */
export class StreamClient {
  readonly events: StreamEvent[] = [];
  connects = 0;
  readonly #abort = new AbortController();
  readonly done: Promise<void>;

  constructor(
    private readonly url: () => string,
    private readonly path: string,
    private readonly token: string,
  ) {
    this.done = this.#follow();
  }

  get ended(): boolean {
    return this.events.at(-1)?.event === 'end';
  }

  /** The numbers that are missing or that came twice, in a stream whose ids are 1, 2, 3, ... */
  faults(): number[] {
    return this.events.flatMap(({ id }, n) => (id === n + 1 ? [] : [id]));
  }

  close(): void {
    this.#abort.abort();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#abort;
    while (!this.ended && !signal.aborted) {
      try {
        await this.#connect(signal);
      } catch {
        // The server is gone: reconnect.
      }
      if (!this.ended && !signal.aborted) await sleep(RECONNECT_MS);
    }
  }

  async #connect(signal: AbortSignal): Promise<void> {
    const last = this.events.at(-1)?.id;
    const response = await fetch(`${this.url()}${this.path}`, {
      signal,
      headers: {
        ...(this.token === '' ? {} : { authorization: `Bearer ${this.token}` }),
        ...(last === undefined ? {} : { 'last-event-id': String(last) }),
      },
    });
    this.connects++;
    if (!response.ok || response.body === null) {
      await response.body?.cancel();
      return;
    }
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) this.#take(block);
    }
  }

  #take(block: string): void {
    const field = (name: string): string | undefined => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1];
    const [id, event, data] = [field('id'), field('event'), field('data')];
    if (id === undefined || event === undefined || data === undefined) return;
    this.events.push({ id: Number(id), event, data: JSON.parse(data) as StreamEvent['data'], at: Date.now() });
  }
}
