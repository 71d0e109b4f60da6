/**
 * Does what is to be done elsewhere when a run has ended. Owns: that it is done. Does not own: what it is; the end says.
 *
 *  X1  It stands in the run's own document, written with the end, until all of it is done. After a crash in between a
 *      sweep of any host does it again, and doing it again changes nothing.
 *  X2  A run that has ended, or is not there, needs no message.
 */
import type { Clock } from '../../lib/clock';
import type { Mail } from '../record/state';
import type { Outbox as Box, OutboxStore } from '../store/kin';
import type { Errand, RunStore } from '../store/port';

/** A host does it at once; one that has not after this time has stopped. */
const LATE_MS = 5_000;
/** How many outboxes one sweep empties. */
const SWEPT = 50;

export interface OutboxDeps {
  readonly store: Pick<RunStore, 'post'>;
  readonly outboxes: OutboxStore;
  readonly clock: Clock;
  /** Hands over what is stored; a hint. `owner`: the host of the run. */
  readonly tell: (executionId: string, mail: Mail, owner: string | null) => void;
  readonly leave: (executionId: string, group: string, limit: number) => Promise<void>;
  readonly announce: (executionId: string) => Promise<void>;
}

export class Outbox {
  constructor(private readonly deps: OutboxDeps) {}

  async empty({ id, outbox }: Box): Promise<void> {
    if (outbox.length === 0) return;
    for (const errand of outbox) await this.#do(id, errand);
    await this.deps.outboxes.settle(id);
  }

  /** Empties what others have left; answers what went wrong. One box in trouble does not keep the others from it. */
  async sweep(): Promise<unknown[]> {
    const { outboxes, clock } = this.deps;
    const faults: unknown[] = [];
    for (const box of await outboxes.outboxes(clock.now() - LATE_MS, SWEPT)) {
      await this.empty(box).catch((fault: unknown) => faults.push(fault));
    }
    return faults;
  }

  async post(executionId: string, mail: Mail): Promise<void> {
    const posted = await this.deps.store.post(executionId, mail, this.deps.clock.now());
    if (posted.kind === 'posted' || posted.kind === 'known') this.deps.tell(executionId, mail, posted.owner);
  }

  #do(id: string, errand: Errand): Promise<void> {
    switch (errand.kind) {
      case 'post':
        return this.post(errand.to, errand.mail);
      case 'leave':
        return this.deps.leave(id, errand.group, errand.limit);
      case 'announce':
        return this.deps.announce(id);
    }
  }
}
