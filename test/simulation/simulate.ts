/** Plays a plan: a time of faults, then a calm in which everything must come to its end, then the verdict. */
import { CANCEL } from '../../runtime/core/decide/waits';
import type { Execution } from '../../runtime/core/model';
import { byRank } from '../support/runtime/sim-groups';
import { Cluster } from './cluster';
import { POISON } from './flows';
import { historyOf } from './history';
import type { Mutant } from './mutants';
import { People } from './people';
import { LEASE_MS, type Plan } from './plan';
import { Timeline } from './timeline';
import { Trace } from './trace';
import { judgeAll } from './verdict';
import { type Violation, Watch } from './watch';

const BEGIN = Date.UTC(2030, 0, 1);
/** The interval of checks during the calm. */
const SLICE_MS = 250;
/** All must have ended this long after the last fault. */
const CALM_LIMIT_MS = 120_000;
/** Requests that were sent during the faults may be in flight until then. */
const AFTERMATH_MS = 10_000;
/** A run that is due is claimed within this time: a poll, the clock skew, and some requests to the database. */
const CLAIMED_WITHIN_MS = 3_000;
/** A run that could not be loaded is tried again within this time. */
const ABOUT_TO_MS = 65_000;
/** A run over its tenant's limit finds a slot within this time, once there is one: hosts keep some for a few renewals. */
const PARKED_MS = 8_000;
/** The next run of a concurrency group gets a free permit within this time: its outbox may be processed by a sweep. */
const PERMIT_MS = 12_000;
/** The same where a host may have died after it released the run, and before it woke it: the run looks again by itself. */
const UNWOKEN_MS = 35_000;
const GRACE_MS = 1_000;

export interface Report {
  readonly violations: readonly Violation[];
  /** Hash of all events: the same for the same plan. */
  readonly hash: string;
  readonly lines: readonly string[];
  readonly runs: number;
}

export async function simulate(plan: Plan, mutant: Mutant = {}, keep = false): Promise<Report> {
  const timeline = new Timeline(BEGIN);
  const trace = new Trace(keep, () => timeline.now - BEGIN);
  const watch = new Watch(() => cluster.db, trace, plan.limits, plan.quota);
  const cluster: Cluster = new Cluster(plan, timeline, trace, watch, mutant);
  const restore = mutant.patch?.() ?? (() => {});
  try {
    const people = new People(cluster, timeline, watch);
    for (const act of plan.acts) if (!('when' in act)) people.plan(act);
    await timeline.play(BEGIN + troubledMs(plan));
    cluster.calm();
    const calm = new Calm(cluster, people, timeline, watch, mayKill(plan) ? UNWOKEN_MS : PERMIT_MS);
    if (await calm.comes()) await calm.leaves();
    judgeAll(cluster.db, watch);
  } finally {
    restore();
  }
  const { violations } = watch;
  return { violations, hash: trace.hash, lines: trace.lines, runs: cluster.db.executions.size };
}

/** The time of the last act of the plan. */
function troubledMs({ acts }: Plan): number {
  const ends = acts.map((act) => {
    if (!('when' in act)) return act.at + 50;
    const begins = 'at' in act.when ? act.when.at : 2_000;
    return begins + ('forMs' in act ? act.forMs : 'graceMs' in act ? act.graceMs : 'lateMs' in act ? act.lateMs : 0);
  });
  return Math.max(500, ...ends);
}

const mayKill = ({ acts }: Plan): boolean =>
  acts.some((act) => ['crash', 'stop', 'straggler'].includes(act.kind) || ('flow' in act && act.flow === POISON));

class Calm {
  readonly #ready = new Map<string, number>();

  constructor(
    private readonly cluster: Cluster,
    private readonly people: People,
    private readonly timeline: Timeline,
    private readonly watch: Watch,
    private readonly permitMs: number,
  ) {}

  /** Waits until every run has ended, and every process that was stopping has been replaced. */
  async comes(): Promise<boolean> {
    const { timeline, watch, cluster } = this;
    const began = timeline.now;
    while (this.#running().length > 0 || this.#unnotified().length > 0 || cluster.unsettled || this.people.waiting) {
      if (timeline.now - began > CALM_LIMIT_MS) {
        if (cluster.up.length < cluster.places.length) watch.report('nothing stuck', 'a host does not come up');
        if (this.people.waiting) watch.report('nothing stuck', 'a start is not answered');
        for (const run of this.#running()) watch.report('nothing stuck', `${run.id} of ${JSON.stringify(run.waiting)}`);
        for (const run of this.#unnotified())
          watch.report('all notified', `${run.id} has ended, and has an outbox item left`);
        return false;
      }
      if (timeline.now - began > AFTERMATH_MS) this.#lookForUnfairness();
      for (const execution of this.#running()) this.#answer(execution);
      if (watch.violations.length > 0) return false;
      await timeline.play(timeline.now + SLICE_MS);
    }
    return true;
  }

  /** An idle host has no runs and slots, and a stopped one has no timers either. */
  async leaves(): Promise<void> {
    const { timeline, watch, cluster } = this;
    // Slots are released at renewals.
    const limit = timeline.now + AFTERMATH_MS;
    do await timeline.play(timeline.now + LEASE_MS / 4);
    while (this.#shares() > 0 && timeline.now < limit);
    if (this.#shares() > 0) watch.report('idle is empty', `${this.#shares()} slots are allocated to idle hosts`);
    const least = cluster.places.map(() => Number.POSITIVE_INFINITY);
    for (let look = 0; look < 4; look++) {
      cluster.places.forEach(({ machine }, index) => {
        least[index] = Math.min(least[index] as number, machine.timers);
      });
      await timeline.play(timeline.now + 70);
    }
    const stopped = cluster.places.map(async ({ host, machine }, index) => {
      // Renewal, fence, poll, and the check for the next lease that expires.
      if ((least[index] as number) > 4) watch.report('idle is empty', `${machine.name} has ${least[index]} timers`);
      if (host.running > 0) watch.report('idle is empty', `${machine.name} keeps ${host.running} runs`);
      await host.stop(GRACE_MS);
    });
    let left = 0;
    for (const stop of stopped) {
      stop.then(
        () => (left += 1),
        (fault: unknown) => watch.report('no surprise', `a stop failed: ${String(fault)}`),
      );
    }
    const late = timeline.now + 2 * GRACE_MS;
    while (left < stopped.length && timeline.now < late) await timeline.play(timeline.now + 50);
    await timeline.play(timeline.now + 20);
    for (const { machine } of cluster.places)
      if (machine.timers > 0) watch.report('idle is empty', `${machine.name} stopped with ${machine.timers} timers`);
    if (left < stopped.length) watch.report('idle is empty', 'a host with nothing to do does not stop');
  }

  #shares(): number {
    const ledgers = [...this.cluster.db.ledgers.values()];
    return ledgers.flatMap(({ allocations: shares }) => shares).reduce((sum, { n }) => sum + n, 0);
  }

  #running(): Execution[] {
    return [...this.cluster.db.executions.values()].filter(({ status }) => status === 'running');
  }

  /** Ended runs with outbox items left. */
  #unnotified(): Execution[] {
    return [...this.cluster.db.executions.values()].filter(({ outbox }) => outbox.length > 0);
  }

  /** Sends what a run waits for, unless that was done: then it must be about to go on. */
  #answer(execution: Execution): void {
    const { id, owner, wakeAt, waiting, messageSeq: inbox } = execution;
    if (owner !== null || wakeAt === null || wakeAt <= this.timeline.now + ABOUT_TO_MS) return;
    if (execution.pause?.kind === 'pause') return void this.people.setPaused(id, 'resume');
    for (const { name, kind } of waiting) {
      if (name === null) continue;
      const taken = this.watch.takenOf(id);
      const there = this.cluster.db.mail.get(id)?.find((mail) => mail.name === name && !taken.has(mail.id));
      // A message that is there and not counted wakes no host: its sender had no answer, and may have given up.
      if (there !== undefined && this.watch.counts.has(`${id} ${there.id}`))
        this.watch.report('messages taken', `${id} sleeps, though ${there.id} is there`);
      else if (kind === 'approval') this.people.decide(id, name, true);
      else if (kind === 'signal') this.people.send(id, { id: `${id}-late-${inbox}`, name, data: { v: 5 } });
    }
    const cancelled = this.watch.counts.has(`${id} ${CANCEL}`);
    // A run whose end is decided may wait for a slot to clean up.
    const closing = historyOf(this.cluster.db, id).some(({ entry }) => entry.kind === 'run.closing');
    if (cancelled && !closing) this.watch.report('cancelled when requested', `${id} sleeps, though it was cancelled`);
  }

  /** Reports runs that are due and not claimed, though a host has room for them. */
  #lookForUnfairness(): void {
    const { now } = this.timeline;
    const room = this.cluster.places.some(({ host }, index) => host.running < this.cluster.capacity(index));
    const ready = new Map<string, number>();
    for (const { id, owner, wakeAt, parked, tenantId } of this.#running()) {
      const due = owner === null && wakeAt !== null && wakeAt <= now;
      if (room && (due || (parked && this.#isBelowLimit(tenantId))))
        ready.set(id, parked ? PARKED_MS : CLAIMED_WITHIN_MS);
    }
    for (const id of room ? this.#nextOfGroups() : []) if (!ready.has(id)) ready.set(id, this.permitMs);
    for (const [id, withinMs] of ready) {
      const since = this.#ready.get(id) ?? now;
      this.#ready.set(id, since);
      if (now - since > withinMs) this.watch.report('fair progress', `${id} could go on since ${now - since} ms`);
    }
    for (const id of this.#ready.keys()) if (!ready.has(id)) this.#ready.delete(id);
  }

  /** The runs that wait for permits that are free. */
  #nextOfGroups(): string[] {
    const waiting = this.#running().filter(({ waiting: [wait] }) => wait?.kind === 'slot' && wait.name !== null);
    return [...this.cluster.db.groups].flatMap(([group, { holders }]) => {
      const members = this.#running().filter(({ concurrency }) => concurrency?.group === group);
      const others = members.filter(({ id }) => !holders.some((holder) => holder.id === id));
      const [next] = others.sort(byRank);
      if (next === undefined || holders.length >= (next.concurrency?.limit ?? 0)) return [];
      return waiting.includes(next) ? [next.id] : [];
    });
  }

  #isBelowLimit(tenantId: string): boolean {
    const limit = this.cluster.limit(tenantId);
    const owned = this.#running().filter((run) => run.tenantId === tenantId && run.owner !== null);
    return limit === null || owned.length < limit;
  }
}
