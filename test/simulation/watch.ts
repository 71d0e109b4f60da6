/**
 * Checks invariants during the simulation: at the moment at which an effect begins and the moment at
 * which a caller is answered. Records the order of events for the verdict at the end.
 */
import type { JournalRecord } from '../../runtime/core/entries/entry';
import { type Admitted, nextStart, type Reach, reachOf, type Throttle } from '../../runtime/core/decide/throttle';
import type { ConnectionLimits, Quota } from '../../runtime/core/decide/quota';
import { ConnectionWatch } from './connections';
import type { GatheringRule } from '../../runtime/core/decide/gathering';
import type { Message } from '../../runtime/core/state/state';
import type { Execution, PauseRequest } from '../../runtime/core/model';
import type { SimDatabase } from '../support/runtime/sim-store';
import { CONNECTION, type Doing, keyOf } from './effects';
import { flowOf } from './flows';
import { historyOf, type Recorded } from './history';
import type { Machine } from './machine';
import type { Witness } from './store';
import type { Trace } from './trace';

/** Violations, by the invariant. */
export type Rule =
  | 'durable before answered'
  | 'nothing lost'
  | 'nothing stuck'
  | 'linear journal'
  | 'intent before effect'
  | 'effects as promised'
  | 'fenced'
  | 'one at a time'
  | 'messages taken'
  | 'decisions kept'
  | 'cancelled when requested'
  | 'paused when requested'
  | 'nothing begins in a pause'
  | 'same output'
  | 'limits kept'
  | 'in order'
  | 'all notified'
  | 'all undone'
  | 'fair progress'
  | 'idle is empty'
  | 'gathered once'
  | 'gathered in time'
  | 'connections kept'
  | 'no surprise';

export interface Violation {
  readonly rule: Rule;
  readonly what: string;
}

/** A message whose sender was notified that it is stored. */
export interface Sent {
  readonly run: string;
  readonly mail: Message;
}

/** How much the clocks of two hosts may differ. */
export const MAX_SKEW_MS = 1_000;

export class Watch implements Witness {
  readonly violations: Violation[] = [];
  /** Moments of claims, by run and epoch, and of messages that were counted, by run and id: in one order. */
  readonly claims = new Map<string, number>();
  readonly counts = new Map<string, number>();
  /** Every record that was part of the history at some time. */
  readonly records: JournalRecord[] = [];
  /** Messages that were stored at some time, also those that came too late to be counted. */
  readonly stored = new Set<string>();
  /** Messages whose senders were notified that they are stored. */
  readonly acknowledged: Sent[] = [];
  /** Runs that were paused when they were claimed: numbers of the requests, by run and epoch. */
  readonly pausedClaims = new Map<string, number>();
  /** Numbers of stored requests to resume, by run. */
  readonly resumes = new Map<string, number[]>();
  /** Starts whose callers were notified that the run is stored. */
  readonly accepted = new Set<string>();
  /** Moments at which runs were first asked for, and at which a start of them was first answered. */
  readonly #asked = new Map<string, number>();
  readonly #answered = new Map<string, number>();
  /** Starts that windows have admitted, in their order, and what was asked for of each run. */
  readonly #admitted = new Map<string, Admitted[]>();
  /** How far each window reaches after each of its starts. */
  readonly #reaches = new Map<string, readonly Reach[]>();
  readonly #throttles = new Map<string, Throttle>();
  readonly #ranks = new Map<string, number>();
  /** Runs with which starts were answered that were gathered, and when they were taken, in the time of the database. */
  readonly gatheredIn = new Map<string, Set<string>>();
  readonly takenAt = new Map<string, number>();
  /** When starts were first asked for, and how they are gathered. */
  readonly askedAt = new Map<string, number>();
  readonly rules = new Map<string, GatheringRule>();
  /** The starts of runs that have begun. */
  readonly begunWith = new Map<string, readonly string[]>();
  readonly #interruptions = new Map<string, number>();
  #moment = 0;
  #active: Doing[] = [];
  readonly #begun = new Set<string>();
  /** By tenant. */
  readonly #connections = new Map<string, ConnectionWatch>();

  constructor(
    private readonly db: () => SimDatabase,
    private readonly trace: Trace,
    private readonly limits: Readonly<Record<string, number | null>>,
    private readonly quota: ConnectionLimits | null = null,
  ) {}

  readonly used = (connection: string, before: Quota | undefined, after: Quota): void =>
    this.#connectionOf(connection).used(before, after);

  #connectionOf(key: string): ConnectionWatch {
    const known =
      this.#connections.get(key) ?? new ConnectionWatch(this.quota, (rule, what) => this.report(rule, what));
    this.#connections.set(key, known);
    return known;
  }

  report(rule: Rule, what: string): void {
    this.trace.add('watch', `VIOLATION of "${rule}": ${what}`);
    this.violations.push({ rule, what });
  }

  readonly recorded = (record: JournalRecord): void => {
    this.records.push(record);
    if (record.json.includes('"kind":"connection"') && !this.db().marked.has(record.executionId))
      this.report('connections kept', `${record.executionId} waits, and is not marked for versions that know it`);
  };

  readonly claimed = ({ id, epoch }: Execution): void => {
    this.claims.set(`${id} ${epoch}`, ++this.#moment);
    // As the database has it, whatever the host was answered.
    const pause = this.db().executions.get(id)?.pause;
    if (pause?.kind === 'pause') this.pausedClaims.set(`${id} ${epoch}`, pause.rev);
  };

  readonly pauseStored = (run: string, { kind, rev }: PauseRequest, before: number): void => {
    this.trace.add('database', `${kind} ${rev} of ${run}`);
    if (rev !== before + 1) this.report('in order', `request ${rev} to ${kind} ${run} was stored after ${before}`);
    if (kind === 'resume') this.resumes.set(run, [...(this.resumes.get(run) ?? []), rev]);
  };

  /** Its host has read every request. */
  readonly released = ({ id, pause, wakeAt }: Execution): void => {
    if (pause === null || this.#isClosing(id)) return;
    const last = historyOf(this.db(), id).findLast(
      ({ entry }) => entry.kind === 'run.paused' || entry.kind === 'run.resumed',
    )?.entry;
    if ((pause.kind === 'pause') !== (last?.kind === 'run.paused'))
      this.report('paused when requested', `${id} sleeps until ${wakeAt} after ${last?.kind}, and is to ${pause.kind}`);
  };

  #isClosing(run: string): boolean {
    return historyOf(this.db(), run).some(({ entry }) => entry.kind === 'run.closing');
  }

  readonly kept = (executionId: string, { id }: Message): void => void this.stored.add(`${executionId} ${id}`);

  /** A window lets a run start: not too many at a time, and none that has to wait longer because of it. */
  readonly admitted = (window: string, starts: readonly Admitted[]): void => {
    const last = starts.at(-1) as Admitted;
    const execution = this.db().executions.get(last.id);
    const throttle = this.#throttles.get(last.id) ?? execution?.throttle;
    if (throttle === undefined) return this.report('limits kept', `${last.id} was admitted, and has no throttle`);
    const admitted = [...(this.#admitted.get(window) ?? []), last];
    this.#admitted.set(window, admitted);
    const reaches = [...(this.#reaches.get(window) ?? [])];
    reaches.push(reachOf([...reaches.slice(-1), throttle]));
    this.#reaches.set(window, reaches);
    // A rate that others share counts from the first start with it, or with one that reaches as far.
    const since = reaches.findIndex(({ limit, periodMs }) => limit >= throttle.limit && periodMs >= throttle.periodMs);
    const all = admitted.slice(since);
    const first = all.at(-throttle.limit - 1);
    if (first !== undefined && last.at - first.at < throttle.periodMs)
      this.report('limits kept', `${first.id} and ${last.id} start within a period of ${throttle.limit} starts`);
    const share = throttle.periodMs / throttle.limit;
    const spaced = all.at(-throttle.burst - 1);
    if (throttle.burst < throttle.limit && spaced !== undefined && last.at - spaced.at < Math.floor(share))
      this.report('limits kept', `${spaced.id} and ${last.id} start within a share of ${share} ms`);
    this.#judgeTurn(last, execution, throttle, starts);
  };

  /** A run that waited before this one was asked for must not have to wait longer. */
  #judgeTurn({ id, at }: Admitted, execution: Execution | undefined, throttle: Throttle, starts: readonly Admitted[]) {
    const asked = this.#asked.get(id);
    if (asked === undefined || nextStart(starts, throttle, at) === at) return;
    const rank = execution === undefined ? (this.#ranks.get(id) ?? at) : (execution.rank ?? execution.startedAt);
    for (const other of this.db().executions.values()) {
      const waits = other.throttle?.window === throttle.window && other.waiting.some(({ kind }) => kind === 'throttle');
      const isIn = starts.some((start) => start.id === other.id) || other.cancelling;
      const isEarlier = (other.rank ?? other.startedAt) < rank && (this.#answered.get(other.id) ?? asked) < asked;
      if (waits && !isIn && isEarlier && other.id !== id)
        this.report('in order', `${id} is admitted, and ${other.id}, which was started before, waits`);
    }
  }

  /** A slot has one open run at a time. */
  readonly inserted = ({ id, gathering }: Execution): void => {
    if (gathering === undefined) return;
    const { slot, starts } = gathering;
    const now = this.db().now();
    this.takenAt.set(`${id} ${starts[0]}`, now);
    for (const { id: other, status, cancelling, gathering: others } of this.db().executions.values()) {
      if (other === id || others?.slot !== slot || others.state !== 'open') continue;
      if (status === 'running' && !cancelling && others.beginsAt > now + MAX_SKEW_MS)
        this.report('gathered once', `${id} is stored, and ${other} takes starts until ${others.beginsAt}`);
    }
  };

  readonly added = (id: string, starts: readonly string[]): void => {
    this.takenAt.set(`${id} ${starts.at(-1)}`, this.db().now());
    if (this.begunWith.has(id)) this.report('gathered once', `${id} has begun, and takes ${starts.at(-1)}`);
  };

  readonly begun = (id: string): void => {
    const execution = this.db().executions.get(id);
    const gathering = execution?.gathering;
    if (execution === undefined || gathering === undefined) return;
    this.begunWith.set(id, gathering.starts);
    const now = this.db().now();
    if (!execution.cancelling && gathering.beginsAt > now + MAX_SKEW_MS)
      this.report('gathered in time', `${id} begins, and would take starts until ${gathering.beginsAt}`);
  };

  gatheringAsked(start: string, rule: GatheringRule): void {
    this.rules.set(start, rule);
    if (!this.askedAt.has(start)) this.askedAt.set(start, this.db().now());
  }

  /** The caller of a start was notified that the run stands for it. */
  gatheredAnswered(start: string, run: string): void {
    this.gatheredIn.set(start, new Set([...(this.gatheredIn.get(start) ?? []), run]));
    const starts = this.db().executions.get(run)?.gathering?.starts;
    if (starts === undefined)
      this.report('durable before answered', `${start} was answered with ${run}, which is not stored`);
    else if (!starts.includes(start))
      this.report('durable before answered', `${start} was answered with ${run}, which has not taken it`);
  }

  readonly counted = (executionId: string, { id }: Message): void => {
    const key = `${executionId} ${id}`;
    if (!this.counts.has(key)) this.counts.set(key, ++this.#moment);
  };

  /** Whether a message was counted before the run was claimed under this epoch. */
  foreseen(run: string, mailId: string, epoch: number): boolean {
    const counted = this.counts.get(`${run} ${mailId}`);
    const claimed = this.claims.get(`${run} ${epoch}`);
    return counted !== undefined && claimed !== undefined && counted < claimed;
  }

  /** Ids of the messages that entries of a run have consumed. */
  takenOf(run: string): Set<string> {
    return new Set(
      historyOf(this.db(), run).flatMap(({ entry }) =>
        'mail' in entry && entry.mail !== undefined ? [entry.mail] : [],
      ),
    );
  }

  /** A caller asks for a start. */
  startAsked({ id: run, throttle, rank, startedAt }: Execution): void {
    if (throttle !== undefined) this.#throttles.set(run, throttle);
    this.#ranks.set(run, Math.max(rank ?? startedAt, this.#ranks.get(run) ?? 0));
    if (!this.#asked.has(run)) this.#asked.set(run, ++this.#moment);
  }

  /** The caller of a start was notified that the run is stored. */
  startAnswered(run: string): void {
    if (!this.#answered.has(run)) this.#answered.set(run, ++this.#moment);
    if (this.db().executions.has(run)) this.accepted.add(run);
    else this.report('durable before answered', `the start of ${run} was answered, and it is not stored`);
  }

  /** The sender of a message was notified that it is stored. */
  postAnswered(run: string, mail: Message): void {
    const stored =
      this.db()
        .mail.get(run)
        ?.some(({ id }) => id === mail.id) === true;
    if (stored) this.acknowledged.push({ run, mail });
    else
      this.report('durable before answered', `a message "${mail.name}" to ${run} was answered, and it is not stored`);
  }

  /** The sender of a request to pause or resume was notified that it is stored. */
  pauseAnswered(run: string, { kind, rev }: PauseRequest): void {
    const execution = this.db().executions.get(run);
    // A cancellation and a cleanup remove the request.
    if (execution?.status !== 'running' || execution.pause === null) return;
    if (execution.pause.rev < rev)
      this.report('durable before answered', `request ${rev} to ${kind} ${run} was answered, and is not stored`);
  }

  readonly began = (doing: Doing): void => {
    const { run, path, machine, type } = doing;
    this.trace.add(machine.name, `begins ${keyOf(doing)}`);
    if (type === 'think') return;
    const tenantOf = (id: string): string => this.db().executions.get(id)?.tenantId ?? '';
    const tenant = tenantOf(run);
    const besides = this.#active.filter((other) => tenantOf(other.run) === tenant);
    this.#connectionOf(`connection:${tenant}:${CONNECTION}`).began(doing, besides);
    this.#judge(doing);
    const execution = this.db().executions.get(run);
    if (execution !== undefined) {
      this.#judgeSlots(doing, execution);
      this.#judgePlaces(execution);
      this.#judgeAdmission(execution);
      if (execution.gathering !== undefined && execution.gathering.state !== 'begun' && this.#hasBegun(run))
        this.report('gathered in time', `${run} goes on, and has not begun`);
      this.#judgeOrder(execution);
    }
    const other = this.#active.find((active) => active.run === run && (active.path === path || !this.#mayOverlap(run)));
    if (other !== undefined) {
      const both = `${keyOf(doing)} on ${machine.name} and ${keyOf(other)} on ${other.machine.name}`;
      this.report('one at a time', `effects overlap: ${both}`);
    }
    this.#active.push(doing);
  };

  readonly effectOver = (doing: Doing, how: string): void => {
    this.trace.add(doing.machine.name, `${how} ${keyOf(doing)}`);
    this.#active = this.#active.filter((active) => active !== doing);
  };

  #mayOverlap(run: string): boolean {
    const execution = this.db().executions.get(run);
    return execution !== undefined && flowOf(execution.planHash).sideBySide;
  }

  /** A machine stands still or dies: effects that it has started cannot be called back, and count as no violation. */
  interrupted(machine: Machine): void {
    for (const { id, owner } of this.db().executions.values())
      if (owner?.startsWith(`${machine.name}.`) === true) this.#interruptions.set(id, this.interruptionsOf(id) + 1);
    this.#active = this.#active.filter((active) => active.machine !== machine);
  }

  /** How often the machine that had a run stood still or died. */
  interruptionsOf(run: string): number {
    return this.#interruptions.get(run) ?? 0;
  }

  /** Checks the limits of a tenant's runs, on all hosts and on each, against the slot allocations. */
  #judgeSlots({ run }: Doing, { tenantId, owner }: Execution): void {
    const limit = this.limits[tenantId] ?? null;
    if (limit === null) return;
    const { executions, ledgers } = this.db();
    const active = [...new Set([...this.#active.map((doing) => doing.run), run])];
    const all = active.filter((id) => executions.get(id)?.tenantId === tenantId);
    if (all.length > limit) this.report('limits kept', `${all.join()} of ${tenantId} go on, and ${limit} may`);
    const here = all.filter((id) => executions.get(id)?.owner === owner);
    const share = ledgers.get(tenantId)?.allocations.find(({ host }) => host === owner)?.n ?? 0;
    if (here.length > share)
      this.report('limits kept', `${here.join()} of ${tenantId} go on at ${owner}, which has ${share} slots`);
  }

  /** A run with a throttle was admitted before, unless it only handles its end. */
  #judgeAdmission({ id, throttle }: Execution): void {
    if (throttle === undefined || this.#admitted.get(throttle.window)?.some((start) => start.id === id)) return;
    if (this.#hasBegun(id)) this.report('limits kept', `${id} has begun, and was not admitted`);
  }

  /** Checks the limit of a concurrency group. */
  #judgePlaces({ concurrency }: Execution): void {
    if (concurrency === null) return;
    const { group } = concurrency;
    const begun = [...this.db().executions.values()].filter(
      ({ id, status, concurrency: other }) => status === 'running' && other?.group === group && this.#hasBegun(id),
    );
    const limit = Math.max(...begun.map(({ concurrency: other }) => other?.limit ?? 0), concurrency.limit);
    if (begun.length > limit)
      this.report('limits kept', `${begun.map(({ id }) => id).join()} of one group have begun, and ${limit} may`);
  }

  /** A run goes on: no run of its group that one at a time may run waits since before its start was asked for. */
  #judgeOrder({ id, concurrency, startedAt, rank }: Execution): void {
    if (concurrency?.limit !== 1) return;
    const { executions, groups } = this.db();
    const holders = groups.get(concurrency.group)?.holders.map((holder) => holder.id) ?? [];
    const asked = this.#asked.get(id);
    if (!holders.includes(id) || asked === undefined) return;
    for (const other of executions.values()) {
      const waits = other.status === 'running' && !holders.includes(other.id) && !this.#hasBegun(other.id);
      const isEarlier =
        (other.rank ?? other.startedAt) < (rank ?? startedAt) && (this.#answered.get(other.id) ?? asked) < asked;
      if (other.concurrency?.group === concurrency.group && waits && isEarlier)
        this.report('in order', `${id} goes on, and ${other.id}, which was started before, waits`);
    }
  }

  /** A run whose end was decided before its first step needs no permit: it only handles its end. */
  #hasBegun(run: string): boolean {
    const [first] = historyOf(this.db(), run);
    return first !== undefined && first.entry.kind !== 'run.closing';
  }

  /** An effect begins: its intent must be in the history, written by the present owner; and it must be the first time. */
  #judge(doing: Doing): void {
    const { run, path, attempt, type, machine, part } = doing;
    const name = `${keyOf(doing)} on ${machine.name}`;
    if (this.#begun.has(keyOf(doing))) this.report('effects as promised', `${name} begins again`);
    this.#begun.add(keyOf(doing));
    const execution = this.db().executions.get(run);
    const ours = execution?.owner?.startsWith(`${machine.name}.`) === true;
    if (!ours) this.report('fenced', `${name} begins, and the owner of the run is ${execution?.owner ?? 'null'}`);
    const own = historyOf(this.db(), run).filter(({ entry }) => 'path' in entry && entry.path === path);
    if (part !== undefined) this.#judgePart(name, part, own);
    // An attempt that waits for its connection has not begun.
    const history = own.filter(
      ({ entry }) =>
        entry.kind !== 'step.noted' && !(entry.kind === 'step.waiting' && entry.wait.kind === 'connection'),
    );
    const last = history.at(-1);
    const intended = last?.entry.kind === 'step.started' && last.entry.attempt === attempt;
    if (!intended)
      return this.report('intent before effect', `${name} begins; the last record says ${last?.entry.kind}`);
    if (ours && last.epoch !== execution.epoch) this.report('fenced', `${name} begins under an old claim`);
    const before = history.at(-2)?.entry;
    const allowed =
      before === undefined ||
      type === 'effect' ||
      type === 'parts' ||
      before.kind === 'step.resumed' ||
      (before.kind === 'step.failed' && before.retryAt !== null);
    if (!allowed) this.report('effects as promised', `${name}, a step of type ${type}, begins after ${before.kind}`);
  }

  /** A sub-step begins: its intent must be on record, and its result must not. */
  #judgePart(name: string, part: string, history: readonly Recorded[]): void {
    const notes = history.flatMap(({ entry }) => (entry.kind === 'step.noted' && entry.key === part ? [entry] : []));
    if (notes.length === 0) this.report('intent before effect', `${name} begins, and no record says so`);
    if (notes.some(({ value }) => value !== undefined))
      this.report('effects as promised', `${name} begins, though it is on record what it came to`);
  }
}
