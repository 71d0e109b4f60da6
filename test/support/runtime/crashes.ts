import type { PreparedPlan } from '../../../dsl';
import type { Json, JsonObject } from '../../../lib/json';
import type { Entry } from '../../../runtime/core/entries/entry';
import type { Message } from '../../../runtime/core/state/state';
import type { Throttle } from '../../../runtime/core/decide/throttle';
import { type Concurrency, type Execution, NEVER_MS } from '../../../runtime/core/model';
import { settle, until } from '../manual-clock';
import type { CrashPoint } from './sim-store';
import { World } from './world';

/** The id of a scenario's run. */
export const ID = '01900000-0000-7000-8000-000000000001';

/** A run that is repeated with a crash at each of its writes. */
export interface Scenario {
  readonly title: string;
  readonly steps: Json[];
  readonly rest?: JsonObject;
  readonly trigger?: JsonObject;
  readonly prepare?: (world: World) => void;
  readonly concurrency?: Concurrency;
  readonly throttle?: Throttle;
  /** Repeats an earlier run, from this step on; null: from where that one failed. */
  readonly retryFrom?: string | null;
  /** The steps of workflows that others run, by their names. */
  readonly others?: Record<string, Json[]>;
  /** Messages from outside, once the condition holds. */
  readonly mail?: {
    when: (execution: Execution | undefined, others: readonly Execution[]) => boolean;
    mail: Omit<Message, 'at'>;
  };
  /** It is paused once the condition holds, and resumed when it sleeps paused. */
  readonly pauseWhen?: (execution: Execution, world: World) => boolean;
  /** The data of messages, by the name of the awaited message. */
  readonly replies?: Readonly<Record<string, JsonObject>>;
  /** The expected status; completed by default. */
  readonly status?: Execution['status'];
  /** How many effects of a run can be in flight at once, if more than one. */
  readonly atOnce?: number;
}

/** The result of a scenario. */
export interface Result {
  readonly world: World;
  readonly execution: Execution;
  readonly entries: Entry[];
  readonly writes: number;
}

/** A run of the same plan, on a host that leaves afterwards. */
async function playEarlier(world: World, plan: PreparedPlan): Promise<void> {
  const { host } = world.host();
  await host.start();
  await host.begin(world.execution('earlier', plan), plan);
  await until(world.clock, () => world.ended('earlier'));
  await host.stop(0);
}

/** Plays a scenario on one host that may crash, with a second one standing by, until the run has ended. */
export async function play(scenario: Scenario, crash: CrashPoint | null, storeWithinMs = 0): Promise<Result> {
  const world = new World();
  scenario.prepare?.(world);
  const plan = world.plan(scenario.steps, scenario.rest);
  for (const [name, steps] of Object.entries(scenario.others ?? {})) world.workflows.set(name, world.plan(steps));
  if (scenario.retryFrom !== undefined) await playEarlier(world, plan);
  const first = world.host(crash);
  await first.host.start();
  const fresh = world.execution(ID, plan, scenario.trigger, {
    concurrency: scenario.concurrency ?? null,
    ...(scenario.throttle === undefined ? {} : { throttle: scenario.throttle }),
    resumeFrom: scenario.retryFrom === undefined ? null : { executionId: 'earlier', fromStep: scenario.retryFrom },
  });
  let accepted = false;
  void first.host.begin(fresh, plan, storeWithinMs).then(() => (accepted = true));
  await settle();
  const second = world.host();
  await second.host.start();
  // A caller without an answer retries; the id makes that safe.
  if (!accepted) {
    await until(world.clock, () => accepted || first.connection.dead);
    if (!accepted) void second.host.begin(fresh, plan, storeWithinMs);
  }
  let sent = scenario.mail === undefined;
  await until(world.clock, async () => {
    if (!sent && scenario.mail?.when(world.db.executions.get(ID), [...world.db.executions.values()])) {
      sent = true;
      const mail = { ...scenario.mail.mail, at: world.clock.now() };
      await world.client.runs.addMessage(ID, mail, world.clock.now());
      for (const { host, connection } of world.hosts) if (!connection.dead) host.deliver(ID, mail);
    }
    await pauseOnce(world, scenario);
    await answer(world, scenario.replies ?? {});
    return settled(world);
  });
  await settle();
  const execution = world.db.executions.get(ID) as Execution;
  const journal = (world.db.journals.get(ID) ?? []).toSorted((a, b) => a.n - b.n);
  const entries = journal.flatMap((record) => JSON.parse(record.json) as Entry[]);
  return { world, execution, entries, writes: first.connection.writes };
}

/** Sends the awaited message to each run that waits for one. */
async function answer(world: World, replies: Readonly<Record<string, JsonObject>>): Promise<void> {
  for (const { id, waiting } of world.db.executions.values()) {
    for (const { name } of waiting) {
      const data = name === null ? undefined : replies[name];
      const known = world.db.mail.get(id)?.some((mail) => mail.id === name) ?? false;
      if (name !== null && data !== undefined && !known) await world.send(id, { id: name, name, data, by: 'ann' });
    }
  }
}

async function pauseOnce(world: World, { pauseWhen }: Scenario): Promise<void> {
  const execution = world.db.executions.get(ID);
  if (pauseWhen === undefined || execution?.status !== 'running') return;
  const { pause, owner, wakeAt } = execution;
  if (pause === null && pauseWhen(execution, world)) await world.request(ID, 'pause');
  if (pause?.kind === 'pause' && owner === null && wakeAt === NEVER_MS) await world.request(ID, 'resume');
}

/** All runs have ended, their outboxes are empty, and no concurrency group has a permit holder. */
const settled = (world: World): boolean =>
  world.ended(ID) &&
  [...world.db.executions.values()].every(({ status, outbox }) => status !== 'running' && outbox.length === 0) &&
  world.db.groups.size === 0;

const outcomeOf = ({ status, output, error, response }: Execution) => ({ status, output, error, response });

/** Steps whose completion was on record before the crash ran once more afterwards: none may. */
function assertEffects({ atOnce = 1 }: Scenario, baseline: Result, crashed: Result): void {
  let again = 0;
  for (const [path, times] of baseline.world.outside.ran) {
    const ran = crashed.world.outside.ran.get(path) ?? 0;
    expect(ran).toBeGreaterThanOrEqual(times);
    again += ran - times;
  }
  // At most those effects of each run that were in flight at the crash; the earlier one was over.
  const runs = [...crashed.world.db.executions.keys()].filter((id) => id !== 'earlier');
  expect(again).toBeLessThanOrEqual(runs.length * atOnce);
  for (const path of crashed.world.outside.ran.keys()) expect(baseline.world.outside.ran.has(path)).toBe(true);
}

function assertHistory({ world, entries }: Result): void {
  const journal = (world.db.journals.get(ID) ?? []).toSorted((a, b) => a.n - b.n);
  expect(journal.map((record) => record.n)).toEqual(journal.map((_, index) => index + 1));
  const completions = entries.flatMap((entry) => (entry.kind === 'step.completed' ? [entry.path] : []));
  expect(new Set(completions).size).toBe(completions.length);
  expect(entries.filter((entry) => entry.kind === 'run.ended')).toHaveLength(1);
  expect(entries.at(-1)?.kind).toBe('run.ended');
}

/**
 * How late a run may be stored: at once, after its first steps, or with its end where its caller waits. Its records must
 * be stored in a valid order.
 */
const STARTS = [0, 2, Number.POSITIVE_INFINITY];
/** Of runs that others start, it makes no difference. */
const startsOf = ({ others }: Scenario): number[] => (others === undefined ? STARTS : [0]);

/** Crashes at each write of each scenario: the runs end as they do without a crash. */
export function describeCrashes(scenarios: readonly Scenario[]): void {
  describe.each(
    scenarios.flatMap((scenario) =>
      startsOf(scenario).map((storeWithinMs) => ({ ...scenario, scenario, storeWithinMs })),
    ),
  )('crash at every commit: $title (stored within $storeWithinMs ms)', ({ scenario, storeWithinMs }) => {
    let baseline: Result;
    beforeAll(async () => {
      baseline = await play(scenario, null, storeWithinMs);
    });

    it('ends by itself without a crash', () => {
      assertHistory(baseline);
      expect(baseline.execution.status).toBe(scenario.status ?? 'completed');
      expect(baseline.writes).toBeGreaterThan(0);
    });

    it.each(['before', 'after'] as const)('ends the same when the host dies %s any of its writes', async (when) => {
      for (let write = 1; write <= baseline.writes; write++) {
        const crashed = await play(scenario, { write, when }, storeWithinMs);
        expect({ write, ...outcomeOf(crashed.execution) }).toEqual({ write, ...outcomeOf(baseline.execution) });
        assertHistory(crashed);
        assertEffects(scenario, baseline, crashed);
      }
    });
  });
}
