/**
 * The places of groups: of the runs with one concurrency key only so many go on at once. Owns: who may go on. Does not
 * own: claims, and what a run does.
 *
 *  K1  Between its first decision and its end a run has a place, whichever hosts it goes through and however long it
 *      waits; never more than `limit` have one.
 *  K2  Places are given in the order of the starts.
 *  K3  A place is given back because of the end (see Outbox), and then the next is called; whoever is refused looks
 *      for places whose runs have ended, and looks again now and then.
 *  K4  A run whose end is waited for by one that has a place goes on under that place, and takes none: it would wait
 *      for those who wait for itself.
 *  K5  A run that is about to end (it was cancelled, or its time is up), or cleans up because its end is decided, needs
 *      no place; if it has begun, it has one.
 *
 * Crash windows: between an end and the giving back of its place, a sweep gives it back. Between a refusal and the
 * release of the run, the run is claimed anew once its host is dead.
 */
import type { Clock } from '../../lib/clock';
import { conflict, type Group, isNear, mayEnter, nextOf, olderThan, replaced, unused } from '../rules/places';
import { cancellation } from '../rules/waits';
import type { RunError } from '../record/entry';
import type { Mail } from '../record/state';
import type { GroupStore } from '../store/kin';
import type { Concurrency, Execution, Parent, RunStore } from '../store/port';

/** How often one of the first who wait for a place looks for itself. */
const LOOK_MS = 30_000;
/** All others: whoever gives a place back calls those who come next, so a long queue need not keep hosts busy. */
const FAR_LOOK_MS = 300_000;
/** How many runs are cancelled at one look. */
const CANCELLED_AT_ONCE = 100;

export interface GroupsDeps {
  readonly store: Pick<RunStore, 'release' | 'load'>;
  readonly groups: GroupStore;
  readonly clock: Clock;
  readonly post: (executionId: string, mail: Mail) => Promise<void>;
  /** Runs may have become due. */
  readonly poke: () => void;
}

/** What a claimed run may do: go on, end with an error, or nothing, because it was given back and waits. */
export type Admission = { kind: 'go' } | { kind: 'refused'; error: RunError } | { kind: 'waits' };

const GO: Admission = { kind: 'go' };

export class Groups {
  constructor(private readonly deps: GroupsDeps) {}

  /** Takes a place for a run that this host has claimed. */
  async admit(execution: Execution): Promise<Admission> {
    const { concurrency, cancelling, deadlineAt, closesBy } = execution;
    const over = deadlineAt !== null && deadlineAt <= this.deps.clock.now();
    if (concurrency === null || cancelling || over || closesBy !== null) return GO;
    if (await this.#isUnder(execution, concurrency.group)) return GO;
    if ((await this.#enter(execution, concurrency)) || (await this.#enterAfterAll(execution, concurrency))) return GO;
    if (concurrency.onConflict === 'skip') return { kind: 'refused', error: conflict(concurrency) };
    if (concurrency.onConflict === 'cancel_running') await this.#cancelOthers(execution, concurrency);
    await this.#standBack(execution, concurrency);
    return { kind: 'waits' };
  }

  /** Gives the place of an ended run back, and calls the next. */
  async leave(executionId: string, group: string, limit: number): Promise<void> {
    await this.deps.groups.leave(group, [executionId]);
    await this.#callNext(group, limit);
  }

  async #enter({ id }: Execution, { group, limit }: Concurrency): Promise<boolean> {
    const seen = await this.#read(group, limit);
    if (seen.holders.some((holder) => holder.id === id)) return true;
    return mayEnter(seen, id, limit) && this.deps.groups.enter(group, id, limit, this.deps.clock.now());
  }

  async #enterAfterAll(execution: Execution, concurrency: Concurrency): Promise<boolean> {
    const { groups, clock } = this.deps;
    const holders = await groups.holders(concurrency.group);
    const free = unused(holders, await groups.gone(holders.map(({ id }) => id)), clock.now());
    if (free.length === 0) return false;
    await groups.leave(concurrency.group, free);
    return this.#enter(execution, concurrency);
  }

  /** Whether a run has a place that waits, through one child or several, for the end of this one. */
  async #isUnder({ parent }: Execution, group: string): Promise<boolean> {
    if (parent?.awaited !== true) return false;
    const holders = new Set((await this.deps.groups.holders(group)).map(({ id }) => id));
    for (let above: Parent | null = parent; above?.awaited === true; ) {
      if (holders.has(above.executionId)) return true;
      above = (await this.deps.store.load(above.executionId))?.parent ?? null;
    }
    return false;
  }

  async #cancelOthers(execution: Execution, concurrency: Concurrency): Promise<void> {
    const members = await this.deps.groups.members(concurrency.group, CANCELLED_AT_ONCE);
    const mail = cancellation(this.deps.clock.now(), replaced(concurrency));
    for (const to of olderThan({ holders: [], members }, execution)) await this.deps.post(to, mail);
  }

  /** Gives the run back until a place is free. */
  async #standBack(execution: Execution, concurrency: Concurrency): Promise<void> {
    const { id, owner, epoch, startedAt, deadlineAt } = execution;
    const claim = { id, host: owner as string, epoch };
    const waiting = [{ step_id: null, kind: 'slot', name: concurrency.key, since: startedAt, until: null } as const];
    const near = isNear(await this.#read(concurrency.group, concurrency.limit), id, concurrency.limit);
    const pauseMs = near ? LOOK_MS : FAR_LOOK_MS;
    const lookAt = Math.min(this.deps.clock.now() + pauseMs, deadlineAt ?? Number.POSITIVE_INFINITY);
    const released = await this.deps.store.release(claim, { inbox: execution.inbox, wakeAt: lookAt, waiting });
    if (released === 'mail') {
      // Perhaps a cancellation: whoever claims it next sees.
      const inbox = (await this.deps.store.load(id))?.inbox ?? execution.inbox;
      await this.deps.store.release(claim, { inbox, wakeAt: this.deps.clock.now(), waiting });
    }
    // A place that was given back while this run was still claimed found nobody to be called.
    await this.#callNext(concurrency.group, concurrency.limit);
  }

  async #callNext(group: string, limit: number): Promise<void> {
    const next = nextOf(await this.#read(group, limit), limit);
    if (next.length === 0) return;
    await this.deps.groups.wake(next, this.deps.clock.now());
    this.deps.poke();
  }

  /** As many members as may have to do with a place: those who have one, and those who could be next. */
  async #read(group: string, limit: number): Promise<Group> {
    const holders = await this.deps.groups.holders(group);
    return { holders, members: await this.deps.groups.members(group, holders.length + limit) };
  }
}
