/**
 * Debounces and batches: several starts of one key become one run. Owns: which run a start belongs to, and when such a run
 * begins. Does not own: claims, and limits of runs.
 *
 *  B1  Each start belongs to one run. It is marked with the run before the run takes it, and the mark moves to another run
 *      only when the first can take no more starts and has not taken it.
 *  B2  A slot has one open run at a time: the next one is named by a write that succeeds once, and stored after that.
 *  B3  A run takes a start only while it is open. It begins when its time has come, and takes nothing from then on.
 *  B4  Its limits, and its timeout, apply from its beginning.
 *
 * Crash windows: a run that was named and not stored is stored by the next start of the slot. A start that was marked and
 * not taken is taken when it is repeated; its caller has no answer. A run that was sealed and not succeeded is succeeded at the
 * next start. A claimed run that has not begun is claimed anew.
 */
import type { Clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { sizeOfJson } from '../../lib/json/prepared';
import { KeyedMutex } from '../../lib/keyed-mutex';
import { isOverdue } from '../core/decide/overdue';
import {
  batchTrigger,
  beginning,
  type GatheredStart,
  type Gathering,
  type GatheringRule,
  gatheringOf,
  hasRoomFor,
  isOver,
  waitOfGathering,
  withGathered,
} from '../core/decide/gathering';
import type { Execution } from '../core/model';
import type { GatheringRun, GatheringStore, ReplacedMembers } from '../ports/gathering-store';
import type { RunStore } from '../ports/run-store';
import { INITIAL_FIELDS, type NewExecution } from './deps';

/** Tries against other hosts that start runs of the same slot. */
const MAX_TRIES = 50;
/** How long marks of starts and the last run of a slot are kept after the run begins. */
const KEEP_MS = 86_400_000;
/** The same of starts whose callers may repeat them. */
const KEEP_REPEATABLE_MS = 30 * 86_400_000;

interface GatheringsDeps {
  readonly store: Pick<RunStore, 'insert' | 'load' | 'release'>;
  readonly gatherings: GatheringStore;
  readonly clock: Clock;
  /** Runs may have become due. */
  readonly poke: () => void;
}

/** The run that a start belongs to. `known`: the start is a repeat; `digest`: that of the first one. */
export type Gathered =
  | { readonly kind: 'created' | 'added'; readonly id: string }
  | { readonly kind: 'known'; readonly id: string; readonly digest: string | null };

/** A start that is to be gathered with others. */
export interface GatheringStart {
  readonly fresh: NewExecution;
  readonly rule: GatheringRule;
  /** A hash of what a repeat must have; null: of nothing. */
  readonly digest: string | null;
  /** Its caller may repeat it. */
  readonly repeatable: boolean;
  readonly newId: () => string;
}

export class Gatherings {
  /** Starts of a slot wait for each other here, instead of competing in the database. */
  readonly #turns = new KeyedMutex();

  constructor(private readonly deps: GatheringsDeps) {}

  /** Gives the start to the open run of its slot, or stores a new one. @throws AppError unavailable */
  add(start: GatheringStart): Promise<Gathered> {
    return this.#turns.run(start.rule.slot, async () => {
      // Before the workflow gathered starts, they had runs of their own.
      if (start.repeatable && (await this.deps.store.load(start.fresh.id)) !== null)
        return { kind: 'known', id: start.fresh.id, digest: null };
      for (let tries = 0; tries < MAX_TRIES; tries++) {
        const gathered = await this.#try(start);
        if (gathered !== null) return gathered;
      }
      throw new AppError('unavailable', 'Too many starts of this workflow compete. Try again', { retry_after: 1 });
    });
  }

  /** Null: something has changed meanwhile, or has been prepared; to be tried again. */
  async #try(start: GatheringStart): Promise<Gathered | null> {
    const { gatherings, clock } = this.deps;
    const { fresh, rule, digest } = start;
    const now = clock.now();
    const until = now + rule.maxWaitMs + KEEP_MS;
    const current = await gatherings.current(rule.slot);
    if (current === null) {
      await gatherings.advance(rule.slot, null, start.newId(), until);
      return null;
    }
    const keptUntil = start.repeatable ? now + rule.maxWaitMs + KEEP_REPEATABLE_MS : until;
    const mark = await gatherings.mark(fresh.id, { run: current, digest }, keptUntil);
    const known = { kind: 'known', id: mark.run, digest: mark.digest } as const;
    if (mark.digest !== digest) return known;
    const found = await gatherings.find(mark.run);
    if (found?.gathering?.starts.includes(fresh.id) === true) return known;
    if (found === null && mark.run === current) return this.#create(start, current, now);
    if (found !== null && isOpen(found)) return this.#give(start, mark.run, found.gathering, now);
    // A run of the slot that is later than the one that was read here, and not stored yet, may still take the start.
    if (found === null && (await gatherings.current(rule.slot)) !== current) return null;
    // It takes no more starts, and has not taken this one.
    if (mark.run !== current) await gatherings.move(fresh.id, mark.run, current);
    else await gatherings.advance(rule.slot, current, start.newId(), until);
    return null;
  }

  async #create({ fresh, rule }: GatheringStart, id: string, now: number): Promise<Gathered | null> {
    const gathering = gatheringOf(rule, gatheredStart(fresh, now));
    const { throttle: _, ...rest } = fresh;
    const execution: Execution = {
      ...rest,
      id,
      ...(rule.kind === 'batch' ? { trigger: batchTrigger([fresh.trigger]), inputKey: null } : {}),
      concurrency: null,
      deadlineAt: null,
      gathering,
      ...INITIAL_FIELDS,
      waiting: [waitOfGathering(gathering)],
      owner: null,
      epoch: 0,
      wakeAt: gathering.beginsAt,
    };
    if ((await this.deps.store.insert(execution)) === 'exists') return null;
    if (isOver(gathering, now)) this.deps.poke();
    return { kind: 'created', id };
  }

  async #give(
    { fresh, rule }: GatheringStart,
    id: string,
    gathering: Gathering,
    now: number,
  ): Promise<Gathered | null> {
    const { gatherings, poke } = this.deps;
    const start = gatheredStart(fresh, now);
    if (isOver(gathering, now) || !hasRoomFor(gathering, start)) {
      await gatherings.seal(id, now);
      poke();
      return null;
    }
    const after = withGathered(gathering, rule, start);
    const given = gathering.kind === 'batch' ? { event: fresh.trigger } : { members: replacedMembers(fresh) };
    if (!(await gatherings.add(id, after, given))) return null;
    if (isOver(after, now)) poke();
    return { kind: 'added', id };
  }

  /** Begins a run that this host has claimed; null when it gathers on, and has been released, or the claim is lost. */
  async begin(execution: Execution): Promise<Execution | null> {
    const { store, gatherings, clock } = this.deps;
    let run: Execution | null = execution;
    for (let tries = 0; tries < MAX_TRIES && run !== null; tries++) {
      const { gathering, owner, epoch } = run;
      if (owner !== execution.owner || epoch !== execution.epoch || run.status !== 'running') return null;
      if (gathering === undefined || gathering.state === 'begun') return run;
      const now = clock.now();
      const isEnding = run.cancelling || run.cleanupDeadline !== null || isOverdue(run, now);
      if (!isOver(gathering, now) && !isEnding) {
        if (await this.#releaseUntilOver(run, gathering)) return null;
      } else {
        const begun = {
          ...run,
          ...beginning(run, gathering, now),
          gathering: { ...gathering, state: 'begun' as const },
        };
        if (await gatherings.begin({ id: run.id, host: owner as string, epoch }, begun)) return begun;
      }
      run = await store.load(execution.id);
    }
    if (run !== null) await this.#release(run, clock.now());
    return null;
  }

  /** False: a message has arrived, perhaps a cancellation. */
  async #releaseUntilOver(run: Execution, gathering: Gathering): Promise<boolean> {
    return (await this.#release(run, gathering.beginsAt, gathering)) !== 'new_message';
  }

  #release({ id, owner, epoch, messageSeq }: Execution, wakeAt: number, gathering?: Gathering) {
    const waiting = gathering === undefined ? [] : [waitOfGathering(gathering)];
    return this.deps.store.release({ id, host: owner as string, epoch }, { messageSeq, wakeAt, waiting });
  }
}

/** Whether a run may take another start. */
const isOpen = (run: GatheringRun): run is GatheringRun & { readonly gathering: Gathering } =>
  !run.isEnding && run.gathering?.state === 'open';

const gatheredStart = (fresh: NewExecution, at: number): GatheredStart => ({
  id: fresh.id,
  at,
  chars: sizeOfJson(fresh.trigger),
  held: {
    concurrency: fresh.concurrency,
    throttle: fresh.throttle ?? null,
    timeoutMs: fresh.deadlineAt === null ? null : fresh.deadlineAt - fresh.startedAt,
  },
});

const replacedMembers = (fresh: NewExecution): ReplacedMembers => ({
  trigger: fresh.trigger,
  inputKey: fresh.inputKey,
  triggerType: fresh.triggerType,
  planHash: fresh.planHash,
  workflowName: fresh.workflowName,
  env: fresh.env,
  requestId: fresh.requestId,
  ...(fresh.labels === undefined ? {} : { labels: fresh.labels }),
  ...(fresh.warnings === undefined ? {} : { warnings: fresh.warnings }),
});
