import { createCache } from '../../lib/cache';
import { isDuplicateKey } from '../../lib/duplicate-key';
import { AppError } from '../../lib/errors';
import { type AuditEvent, chained, type ChainedEvent, type Link } from './event';
import type { ChainStore, Tail } from './store';

/** Events in one insert; later events wait for the next one. */
const MAX_EVENTS_PER_ROUND = 500;
/** How long heads are collected. Writing a head at once would delay the change that its event belongs to. */
const HEADS_GATHER_MS = 100;
/** Tenants whose chain's end is cached. */
const MAX_TAILS = 10_000;
/** Attempts after write conflicts. Each conflict is progress of another process. */
const MAX_TRIES = 200;

interface Waiting {
  readonly event: AuditEvent;
  readonly done: () => void;
  readonly failed: (fault: unknown) => void;
}

/** The cached state of a chain. `tail`: null when it must be read. */
interface Chain {
  tail: Tail | null;
  queue: Waiting[];
  busy: boolean;
}

/**
 * Appends events to the chains of their tenants. Within a process the events of a tenant are queued and inserted in
 * batches. Between processes the primary key resolves conflicts: the process that lost reads the end of the chain again.
 */
export class ChainWriter {
  /** An evicted chain may still be written; the new one for its tenant then meets conflicts, as between processes. */
  readonly #chains = createCache<Chain>({ max: MAX_TAILS });
  readonly #heads = new Map<string, Link>();
  #moving: Promise<void> | null = null;
  /** Ends the wait for further heads. */
  #flushNow = (): void => {};

  constructor(
    private readonly store: ChainStore,
    private readonly warn: (message: string, fault: unknown) => void,
    private readonly onAppended: (tenant: string) => void,
  ) {}

  /** Resolves when the event is durable. An id that is in the chain already is not written again. */
  append(tenant: string, event: AuditEvent): Promise<void> {
    const chain = this.#chain(tenant);
    return new Promise((done, failed) => {
      chain.queue.push({ event, done, failed });
      if (!chain.busy) void this.#drain(tenant, chain);
    });
  }

  /** Resolves when all pending heads are written, or their write has failed. */
  async settled(): Promise<void> {
    while (this.#moving !== null) {
      this.#flushNow();
      await this.#moving;
    }
  }

  async #drain(tenant: string, chain: Chain): Promise<void> {
    chain.busy = true;
    while (chain.queue.length > 0) {
      const round = chain.queue.splice(0, MAX_EVENTS_PER_ROUND);
      await this.#write(tenant, chain, round).catch((fault: unknown) => {
        // The outcome of the write is unknown.
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
        [chain.tail, left] = await Promise.all([this.store.tailAfter(tenant, tail), this.#without(tenant, left)]);
        if (left.length > 0) continue;
        return;
      }
      const { seq, hash } = events.at(-1) as ChainedEvent;
      chain.tail = { ...tail, seq, hash };
      if (tail.attested) this.#moveHead(tenant, { seq, hash });
      this.onAppended(tenant);
      for (const { done } of left) done();
      return;
    }
    throw new AppError('unavailable', 'Too many concurrent writes to the audit log; try again', { retry_after: 1 });
  }

  /** The events that are not in the chain yet. Resolves the others. */
  async #without(tenant: string, round: readonly Waiting[]): Promise<readonly Waiting[]> {
    const known = await this.store.known(
      tenant,
      round.map(({ event }) => event.id),
    );
    for (const { event, done } of round) if (known.has(event.id)) done();
    return round.filter(({ event }) => !known.has(event.id));
  }

  /** Heads are written in the background, in batches; no caller waits for them. */
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
        .catch((fault: unknown) =>
          this.warn('Heads of audit logs were not written; they are written with the next events', fault),
        );
    }
  }

  #gather(): Promise<void> {
    return new Promise((done) => {
      const timer = setTimeout(done, HEADS_GATHER_MS);
      this.#flushNow = () => {
        clearTimeout(timer);
        done();
      };
    });
  }

  #chain(tenant: string): Chain {
    const cached = this.#chains.get(tenant);
    if (cached !== undefined) return cached;
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
