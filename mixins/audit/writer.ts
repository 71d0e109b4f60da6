import { isDuplicateKey } from '../../lib/duplicate-key';
import { AppError } from '../../lib/errors';
import { type AuditEvent, chained, type ChainedEvent, type Link } from './event';
import type { ChainStore, Tail } from './store';

/** Events of one round; the next ones gather meanwhile. */
const MOST_OF_A_ROUND = 500;
/** How long heads gather: one that followed at once would hold up the write that its event was written for. */
const HEADS_GATHER_MS = 100;
/** Tenants whose chain's end is remembered. */
const MOST_TAILS = 10_000;
/** How often a round starts over because another process was first. Each time, that one has got on. */
const MAX_TRIES = 200;

interface Waiting {
  readonly event: AuditEvent;
  readonly done: () => void;
  readonly failed: (fault: unknown) => void;
}

/** A chain as this process knows it. `tail`: null when it must be looked up. */
interface Chain {
  tail: Tail | null;
  queue: Waiting[];
  busy: boolean;
}

/**
 * Puts events into the chains of their tenants. Within a process a tenant's events queue up, and a round writes all that
 * have come together; between processes the primary key decides, and whoever finds a place taken looks up the end anew.
 */
export class ChainWriter {
  readonly #chains = new Map<string, Chain>();
  readonly #heads = new Map<string, Link>();
  #moving: Promise<void> | null = null;
  /** Ends the wait for further heads. */
  #hurry = (): void => {};

  constructor(
    private readonly store: ChainStore,
    private readonly warn: (message: string, fault: unknown) => void,
  ) {}

  /** Answers when the event is durable. An event of an id that is in the chain is in already. */
  append(tenant: string, event: AuditEvent): Promise<void> {
    const chain = this.#chain(tenant);
    return new Promise((done, failed) => {
      chain.queue.push({ event, done, failed });
      if (!chain.busy) void this.#drain(tenant, chain);
    });
  }

  /** Answers when the heads say what this process knows, as far as they can be written. */
  async settled(): Promise<void> {
    while (this.#moving !== null) {
      this.#hurry();
      await this.#moving;
    }
  }

  async #drain(tenant: string, chain: Chain): Promise<void> {
    chain.busy = true;
    while (chain.queue.length > 0) {
      const round = chain.queue.splice(0, MOST_OF_A_ROUND);
      await this.#write(tenant, chain, round).catch((fault: unknown) => {
        // Nobody knows how far it came.
        chain.tail = null;
        for (const { failed } of round) failed(fault);
      });
    }
    chain.busy = false;
  }

  async #write(tenant: string, chain: Chain, round: readonly Waiting[]): Promise<void> {
    let left = round;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const tail: Tail = chain.tail ?? (await this.store.tail(tenant));
      const events = inOrder(tenant, left, tail);
      try {
        await this.store.insert(tenant, events);
      } catch (fault) {
        if (!isDuplicateKey(fault)) throw fault;
        [chain.tail, left] = await Promise.all([this.store.beyond(tenant, tail), this.#without(tenant, left)]);
        if (left.length > 0) continue;
        return;
      }
      const { seq, hash } = events.at(-1) as ChainedEvent;
      chain.tail = { ...tail, seq, hash };
      if (tail.attested) this.#moveHead(tenant, { seq, hash });
      for (const { done } of left) done();
      return;
    }
    throw new AppError('unavailable', 'Too many events are written at the same time; try again', { retry_after: 1 });
  }

  /** Those that are not in the chain; the others have been answered. */
  async #without(tenant: string, round: readonly Waiting[]): Promise<readonly Waiting[]> {
    const known = await this.store.known(
      tenant,
      round.map(({ event }) => event.id),
    );
    for (const { event, done } of round) if (known.has(event.id)) done();
    return round.filter(({ event }) => !known.has(event.id));
  }

  /** Heads follow on their own, all that have gathered at once: nobody waits for them. */
  #moveHead(tenant: string, link: Link): void {
    this.#heads.set(tenant, link);
    this.#moving ??= this.#moveHeads().finally(() => {
      this.#moving = null;
    });
  }

  async #moveHeads(): Promise<void> {
    while (this.#heads.size > 0) {
      await this.#gather();
      const heads = new Map(this.#heads);
      this.#heads.clear();
      await this.store
        .moveHeads(heads)
        .catch((fault: unknown) => this.warn('The heads of audit logs follow with the next events', fault));
    }
  }

  #gather(): Promise<void> {
    return new Promise((done) => {
      const timer = setTimeout(done, HEADS_GATHER_MS);
      this.#hurry = () => {
        clearTimeout(timer);
        done();
      };
    });
  }

  #chain(tenant: string): Chain {
    const known = this.#chains.get(tenant);
    if (known !== undefined) {
      // To the end of the order, where those in use are.
      this.#chains.delete(tenant);
      this.#chains.set(tenant, known);
      return known;
    }
    for (const [other, { busy }] of this.#chains) {
      if (this.#chains.size < MOST_TAILS) break;
      if (!busy) this.#chains.delete(other);
    }
    const chain: Chain = { tail: null, queue: [], busy: false };
    this.#chains.set(tenant, chain);
    return chain;
  }
}

function inOrder(tenant: string, round: readonly Waiting[], tail: Link): ChainedEvent[] {
  let prev = tail;
  return round.map(({ event }) => {
    const next = chained(tenant, event, prev);
    prev = next;
    return next;
  });
}
