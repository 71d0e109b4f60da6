import { createDialer, createEgress, type Egress, parseEgressAllow } from '../../../lib/egress';
import type { Json, JsonObject } from '../../../lib/json';
import type { ConnectionResult, ConnectionRequest } from '../../../nodes/contract';
import { POLLERS } from '../../../nodes/pollers';
import type { Polled, Poller, PollItem, PollContext } from '../../../nodes/pollers/contract';
import { PollFault, faultOfThrown } from '../../../nodes/pollers/fault';
import type { Compute } from '../../../lib/compute';
import { inlineCompute } from '../../support/inline-compute';

export const NOW = Date.UTC(2026, 0, 1, 12);

/** A source as a scheduler asks it: over the guarded network, with what it has answered before. */
export class Watch {
  readonly #egress: Egress;
  /** Where expressions are evaluated that take long. */
  compute: Compute = inlineCompute;
  readonly #seen = new Set<string>();
  /** Secrets of the tenant. */
  readonly vault: Record<string, string> = {};
  /** How many items are remembered. */
  memory = 2_000;
  readonly asked: ConnectionRequest[] = [];
  cursor: Json = null;
  now = NOW;
  /** What the tenant's connection shows; after a token was refused, the next one. */
  tokens = ['token-1', 'token-2'];
  connected: ConnectionResult | null = null;

  constructor(
    private readonly type: string | Poller,
    private readonly config: JsonObject,
    private readonly urls: Readonly<Record<string, string>> = {},
  ) {
    this.#egress = createEgress({ allow: parseEgressAllow('127.0.0.1') });
  }

  close(): Promise<void> {
    return this.#egress.close();
  }

  /** One poll; its items are known from then on. */
  async poll(limit = 100): Promise<Polled> {
    const poller = typeof this.type === 'string' ? POLLERS.get(this.type) : this.type;
    if (poller === undefined) throw new Error(`There is no source ${this.type}`);
    const polled: Polled = await poller.poll(this.#world(limit)).catch(faultOfThrown);
    if (polled.kind === 'items') {
      for (const { id } of polled.items) this.#seen.add(id);
      for (const id of [...this.#seen].slice(0, -this.memory)) this.#seen.delete(id);
      this.cursor = polled.cursor;
    }
    return polled;
  }

  /** What is new by polls until nothing more is. */
  async news(): Promise<PollItem[]> {
    const items: PollItem[] = [];
    const before = new Set(this.#seen);
    for (let polls = 0; polls < 100; polls += 1) {
      const polled = await this.poll();
      if (polled.kind === 'fault') throw new Error(`${polled.error.code}: ${polled.error.message}`);
      items.push(...polled.items.filter(({ id }) => !before.has(id)));
      for (const { id } of polled.items) before.add(id);
      if (!polled.more) return items;
    }
    throw new Error('There is always more');
  }

  #world(limit: number): PollContext {
    return {
      config: this.config,
      cursor: this.cursor,
      now: this.now,
      signal: new AbortController().signal,
      http: this.#egress,
      net: createDialer({ allow: parseEgressAllow('127.0.0.1') }),
      limit,
      compute: this.compute,
      secrets: async (names) => {
        const missing = names.filter((name) => !Object.hasOwn(this.vault, name));
        if (missing.length > 0) throw new PollFault('unknown_secret', missing.join(', '), false);
        return this.vault;
      },
      connectorUrls: new Map(Object.entries(this.urls)),
      known: (id) => this.#seen.has(id),
      connection: async (_ref, wanted) => {
        this.asked.push(wanted);
        if (this.connected !== null) return this.connected;
        if (wanted.refused !== undefined) this.tokens.shift();
        const credentials = { access_token: this.tokens[0] ?? '' };
        return { kind: 'ready', connection: { id: 'c', connector: wanted.connectors[0] ?? '', credentials } };
      },
    };
  }
}
