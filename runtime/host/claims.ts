/**
 * From waiting runs to claimed ones. Owns: what this host looks at, and how much it takes. Does not own: what becomes
 * of a run that it has claimed.
 *
 *  Q1  Between tenants in turn, and within a tenant the oldest first (see pick.ts), whatever backlog one of them has.
 *  Q2  No run without a slot of its tenant, but one that is taken up to be ended: that one is told of its end, and given
 *      back when it has something to clean up. A due run for which there is no slot is parked, so that it is in nobody's
 *      way.
 *  Q3  A parked run is claimed when a slot is free: at once by the host that has it, else within a quarter of a lease.
 *  Q4  A look ends: it goes on only while it takes or parks something.
 */
import type { Clock } from '../../lib/clock';
import type { Meters } from '../actor/meters';
import type { Candidate, Execution, RunStore } from '../store/port';
import { Backlog } from './backlog';
import { Hungry } from './hungry';
import { isToEnd, ownFirst, type Peer, pick } from './pick';
import { NO_SLOT, type Slot, type Slots } from './slots';
import { within } from './within';

/** How many runs one claim takes: few at first, as nobody knows how large they are, then twice as many each time. */
const CLAIM_FIRST = 4;
const CLAIM_MOST = 64;
/** After a claim that took on more than this, in characters, runs are claimed one by one: each is to fit. */
const LARGE = 16 * 1024 * 1024;
/** How many due runs are looked at for each that can be taken. */
const SEEN_PER_PLACE = 4;

export interface ClaimsDeps {
  readonly store: RunStore;
  readonly clock: Clock;
  readonly slots: Slots;
  readonly patienceMs: number;
  readonly meters: Pick<Meters, 'claimed'>;
  readonly hostId: () => string;
  readonly ready: () => boolean;
  /** How many more runs this host can take; it takes note when it is none. */
  readonly room: () => number;
  readonly peer: () => Peer;
  /** A run that this host leaves to others for a while. */
  readonly avoids: (id: string) => boolean;
  /** Takes the run on; answers how much it holds, in characters. */
  readonly adopt: (execution: Execution, slot: Slot) => number;
  readonly onFault: (fault: unknown) => void;
}

interface Seen {
  readonly candidates: readonly Candidate[];
  /** There may be others behind them. */
  readonly more: boolean;
  /** Tenants all of whose parked runs are seen. */
  readonly wholly: readonly string[];
}

export class Claims {
  readonly hungry: Hungry;
  readonly #backlog: Backlog;
  #lagMs = 0;
  /** The last look has left nothing behind. */
  #calm = false;

  constructor(private readonly deps: ClaimsDeps) {
    this.hungry = new Hungry(deps.store);
    this.#backlog = new Backlog(deps.store, deps.clock);
  }

  /** The longest time between due and claimed since this was asked last. */
  takeLag(): number {
    const lag = this.#lagMs;
    this.#lagMs = 0;
    return lag;
  }

  get calm(): boolean {
    return this.#calm;
  }

  /** Claims a run that somebody has just made due; looks for others only if it is no more as it was seen then. */
  async takeUp(run: Candidate): Promise<void> {
    const { ready, hostId, room, avoids } = this.deps;
    if (!ready() || room() <= 0 || avoids(run.id)) return;
    const { done } = await this.#take(hostId(), [run]);
    if (done === 0) await this.look();
  }

  /** Claims what waits, as far as there is room and slots. */
  async look(): Promise<void> {
    this.#calm = false;
    let most = CLAIM_FIRST;
    while (this.deps.ready()) {
      const host = this.deps.hostId();
      const room = Math.min(most, this.deps.room());
      if (room <= 0) return;
      const seen = await this.#see(room);
      const picks = pick(ownFirst(seen.candidates, this.deps.peer()), (tenant) => this.deps.slots.inUse(tenant), room);
      const { done, held, refused } = await this.#take(host, picks);
      const all = picks.length === seen.candidates.length;
      if (all) for (const tenant of seen.wholly) if (!refused.has(tenant)) this.hungry.forget(tenant);
      this.#calm = all && !seen.more && done === picks.length;
      if (done === 0 || this.#calm) return;
      most = held > LARGE ? 1 : Math.min(most * 2, CLAIM_MOST);
    }
  }

  async #see(room: number): Promise<Seen> {
    const { store, clock } = this.deps;
    const window = room * SEEN_PER_PLACE;
    const due = await this.#answered('due', store.due(clock.now(), window));
    const full = due.length === window;
    const beyond = full ? await this.#answered('backlog', this.#backlog.candidates()) : [];
    const tenants = this.hungry.next();
    const parked = await this.#answered('parked', Promise.all(tenants.map((tenant) => store.parkedOf(tenant, room))));
    const wholly = tenants.filter((_, index) => (parked[index]?.length ?? 0) < room);
    const found = [...due, ...beyond, ...parked.flat()].filter(({ id }) => !this.deps.avoids(id));
    const byId = new Map(found.map((candidate) => [candidate.id, candidate]));
    return { candidates: [...byId.values()], more: full || wholly.length < tenants.length, wholly };
  }

  /**
   * Claims those for which there are slots, and parks the others. `done`: how many need not be looked at again; `held`:
   * how much the claimed ones hold; `refused`: tenants at their limits.
   */
  async #take(
    host: string,
    picks: readonly Candidate[],
  ): Promise<{ done: number; held: number; refused: Set<string> }> {
    const { store, clock, hostId, ready } = this.deps;
    this.#backlog.forget(new Set(picks.map(({ id }) => id)));
    const { slots, refused } = await this.#slotsFor(picks);
    // Fenced since: the id that follows may not be registered yet, and then nobody would bury it with its runs.
    if (!ready() || hostId() !== host) {
      for (const slot of slots.values()) slot.give();
      return { done: 0, held: 0, refused: new Set() };
    }
    const wanted = picks.filter(({ id }) => slots.has(id));
    const due = refused.filter(({ parked }) => !parked);
    let claimed: Execution[] = [];
    try {
      if (wanted.length > 0) claimed = await this.#answered('claim', store.claim(host, wanted));
    } catch (fault) {
      // Perhaps it has claimed them: what is owned and not alive is given back by an audit.
      for (const slot of slots.values()) slot.give();
      throw fault;
    }
    const held = this.#adopt(claimed, wanted, slots);
    if (due.length > 0) await this.#answered('park', store.park(due, clock.now()));
    return { done: claimed.length + due.length, held, refused: new Set(refused.map(({ tenantId }) => tenantId)) };
  }

  #adopt(claimed: readonly Execution[], wanted: readonly Candidate[], slots: Map<string, Slot>): number {
    const now = this.deps.clock.now();
    const since = new Map(wanted.flatMap((run) => (run.parked ? [] : [[run.id, run.since] as const])));
    let held = 0;
    for (const execution of claimed) {
      const lagMs = now - (since.get(execution.id) ?? now);
      this.#lagMs = Math.max(this.#lagMs, lagMs);
      this.deps.meters.claimed(lagMs);
      held += this.deps.adopt(execution, slots.get(execution.id) as Slot);
      slots.delete(execution.id);
    }
    // Of those that another host was faster to claim.
    for (const slot of slots.values()) slot.give();
    return held;
  }

  /** A slot for each run that may go on; `refused`: those whose tenants are at their limits. */
  async #slotsFor(picks: readonly Candidate[]): Promise<{ slots: Map<string, Slot>; refused: Candidate[] }> {
    const now = this.deps.clock.now();
    const slots = new Map<string, Slot>();
    const refused: Candidate[] = [];
    const byTenant = new Map<string, Candidate[]>();
    for (const run of picks) {
      // With a slot that is at hand it also cleans up, if it has to.
      if (isToEnd(run, now)) slots.set(run.id, this.deps.slots.tryTake(run.tenantId) ?? NO_SLOT);
      else byTenant.set(run.tenantId, [...(byTenant.get(run.tenantId) ?? []), run]);
    }
    const ask = async ([tenant, runs]: [string, Candidate[]]): Promise<void> => {
      const had = await this.deps.slots.take(tenant, runs.length);
      for (const run of runs) {
        const slot = had.shift();
        if (slot === undefined) refused.push(run);
        else slots.set(run.id, slot);
      }
      // Its parked runs wait for as long as it has no further slot.
      if (refused.some(({ tenantId }) => tenantId === tenant)) this.hungry.remember(tenant);
      else if (this.hungry.has(tenant)) this.hungry.rouse(tenant);
    };
    // A tenant whose limit cannot be told keeps nobody else waiting: its runs stay as they are.
    for (const asked of await Promise.allSettled([...byTenant].map(ask)))
      if (asked.status === 'rejected') this.deps.onFault(asked.reason);
    return { slots, refused };
  }

  #answered<T>(what: string, answer: Promise<T>): Promise<T> {
    return within(this.deps.clock, this.deps.patienceMs, what, answer);
  }
}
