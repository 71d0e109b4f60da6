import type { PreparedPlan } from '../../../dsl';
import type { Json, JsonObject } from '../../../lib/json';
import type { Entry } from '../../../runtime/record/entry';
import { replay } from '../../../runtime/record/fold';
import type { Mail } from '../../../runtime/record/state';
import { CANCEL } from '../../../runtime/rules/waits';
import type { Concurrency, Execution } from '../../../runtime/store/port';
import { settle, until } from '../../support/manual-clock';
import type { CrashPoint } from '../../support/runtime/sim-store';
import { World } from '../../support/runtime/world';

const ID = '01900000-0000-7000-8000-000000000001';

interface Scenario {
  readonly title: string;
  readonly steps: Json[];
  readonly rest?: JsonObject;
  readonly trigger?: JsonObject;
  readonly prepare?: (world: World) => void;
  readonly concurrency?: Concurrency;
  /** Repeats an earlier run, from this step on; null: from where that one failed. */
  readonly retryFrom?: string | null;
  /** The steps of workflows that others run, by their names. */
  readonly others?: Record<string, Json[]>;
  /** Messages from outside, once the condition holds. */
  readonly mail?: {
    when: (execution: Execution | undefined, others: readonly Execution[]) => boolean;
    mail: Omit<Mail, 'at'>;
  };
}

const set = (id: string, config: JsonObject): Json => ({ id, type: 'set', config });
const effect = (id: string, config: JsonObject = {}, more: JsonObject = {}): Json => ({
  id,
  type: 'effect',
  config,
  ...more,
});
const call = (workflow: string, more: JsonObject = {}): Json => ({
  id: 'call',
  type: 'sub_workflow',
  config: { workflow, input: { v: 7 } },
  ...more,
});
const waits = (execution: Execution | undefined): boolean => (execution?.waiting.length ?? 0) > 0;

const SCENARIOS: Scenario[] = [
  {
    title: 'five pure steps',
    steps: [1, 2, 3, 4, 5].map((n) => set(`s${n}`, { v: n === 1 ? '{{ trigger.n }}' : `{{ steps.s${n - 1}.v + 1 }}` })),
    trigger: { n: 1 },
  },
  {
    title: 'effects between pure steps',
    steps: [
      set('a', { v: 1 }),
      effect('b', { v: '{{ steps.a.v }}' }),
      set('c', { v: '{{ steps.b.v + 1 }}' }),
      effect('d', { v: '{{ steps.c.v }}' }),
    ],
  },
  {
    title: 'a step that fails twice, then succeeds',
    steps: [
      effect('a', {}, { retry: { max_attempts: 5, initial_interval: '10s' } }),
      set('b', { v: '{{ steps.a.ok }}' }),
    ],
    // Counted by attempts that answered, so a crash in the middle changes which attempt is the last, not the result.
    prepare: (world) =>
      world.answers.set('a', (n) =>
        n < 3
          ? { kind: 'fail', error: { code: 'x', message: 'not yet' }, retryable: true }
          : { kind: 'done', output: { ok: true } },
      ),
  },
  {
    title: 'a timer',
    steps: [
      set('a', { v: 1 }),
      { id: 'w', type: 'wait', config: { for: '40s' } },
      effect('b', { v: '{{ steps.a.v }}' }),
    ],
  },
  {
    title: 'an approval',
    steps: [
      effect('a'),
      { id: 'ok', type: 'approval', config: { message: 'Go?' } },
      effect('b', { yes: '{{ steps.ok.approved }}' }),
    ],
    mail: {
      when: waits,
      mail: { id: 'approve-ok', name: 'approve-ok', data: { approved: true }, by: 'ann@example.com' },
    },
  },
  {
    title: 'a signal that comes before its step',
    steps: [
      { id: 'w', type: 'wait', config: { for: '20s' } },
      { id: 's', type: 'wait_for_signal', config: { signal: 'go', timeout: '1d' } },
      effect('b', { v: '{{ steps.s.v }}' }),
    ],
    mail: { when: waits, mail: { id: 'm1', name: 'go', data: { v: 7 }, by: null } },
  },
  {
    title: 'a failure that the run survives',
    steps: [
      { id: 'a', type: 'fail', config: { message: 'no' }, on_error: 'continue' },
      effect('b', { why: '{{ steps.a.error.message }}' }),
    ],
  },
  {
    title: 'a failure that ends the run',
    steps: [effect('a'), { id: 'b', type: 'fail', config: { message: 'no', code: 'nope' } }, effect('c')],
  },
  {
    title: 'skipped steps and an output',
    steps: [set('a', { v: 1 }), { ...(effect('b') as JsonObject), if: '{{ steps.a.v > 1 }}' }, effect('c')],
    rest: { output: { v: '{{ steps.a.v }}' } },
  },
  {
    title: 'a secret that an effect echoes',
    steps: [effect('a', { auth: 'Bearer {{ secret.KEY }}' }), effect('b', { again: '{{ steps.a.auth }}' })],
    prepare: (world) => world.secrets.set('KEY', 'hunter2-hunter2'),
  },
  {
    title: 'another workflow whose output is used',
    steps: [call('other'), effect('b', { v: '{{ steps.call.output.v }}' })],
    others: { other: [effect('c', { v: '{{ trigger.v }}' })] },
  },
  {
    title: 'another workflow that waits, and puts out much',
    steps: [call('other'), set('b', { size: '{{ length(steps.call.output.text) }}' })],
    others: {
      other: [
        effect('c'),
        { id: 'w', type: 'wait', config: { for: '20s' } },
        set('t', { text: '{{ pad("x", 200000, "y") }}' }),
      ],
    },
  },
  {
    title: 'another workflow that fails once',
    steps: [call('other', { retry: { max_attempts: 2, initial_interval: '10s' } })],
    others: {
      other: [
        { id: 'f', type: 'fail', if: `{{ execution.id == "${ID}>call#0" }}`, config: { message: 'not yet' } },
        effect('c'),
      ],
    },
  },
  {
    title: 'a cancellation while another workflow is waited for',
    steps: [effect('a'), call('other')],
    others: { other: [effect('c'), { id: 'ok', type: 'approval', config: { message: 'Go?' } }] },
    mail: {
      // The child is as far as it goes by itself, whatever crash came before.
      when: (execution, others) =>
        execution?.waiting[0]?.kind === 'child' && others.some(({ waiting }) => waiting[0]?.kind === 'approval'),
      mail: { id: CANCEL, name: CANCEL, data: {}, by: null },
    },
  },
  {
    title: 'another workflow that is not waited for',
    steps: [call('other', { config: { workflow: 'other', wait: false } }), effect('b')],
    others: { other: [effect('c')] },
  },
  {
    title: 'a failed run that is repeated from where it failed',
    steps: [effect('a'), effect('b', { v: '{{ steps.a.effect }}' }, { retry: { max_attempts: 1 } }), effect('c')],
    retryFrom: null,
    prepare: (world) =>
      world.answers.set('b', (n) =>
        n === 1
          ? { kind: 'fail', error: { code: 'x', message: 'no' }, retryable: false }
          : { kind: 'done', output: { ok: true } },
      ),
  },
  {
    title: 'a run that is repeated from a step',
    steps: [effect('a'), effect('b', { v: '{{ steps.a.effect }}' }), call('other')],
    others: { other: [effect('c')] },
    retryFrom: 'b',
  },
  {
    title: 'a run of a group, among others',
    steps: [effect('a'), { id: 'w', type: 'wait', config: { for: '40s' } }, effect('b')],
    // One that ended without giving its place back, and nobody knows.
    prepare: (world) => void world.db.groups.set('g', [{ id: 'gone', at: 0 }]),
    concurrency: { group: 'g', key: 'k', limit: 1, onConflict: 'queue' },
  },
  {
    title: 'an output too big for the journal',
    steps: [effect('a', { text: '{{ pad("x", 200000, "y") }}' }), effect('b', { size: '{{ length(steps.a.text) }}' })],
  },
];

interface Result {
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
async function play(scenario: Scenario, crash: CrashPoint | null, lazy = false): Promise<Result> {
  const world = new World();
  scenario.prepare?.(world);
  const plan = world.plan(scenario.steps, scenario.rest);
  for (const [name, steps] of Object.entries(scenario.others ?? {})) world.workflows.set(name, world.plan(steps));
  if (scenario.retryFrom !== undefined) await playEarlier(world, plan);
  const first = world.host(crash);
  await first.host.start();
  const fresh = world.execution(ID, plan, scenario.trigger, {
    concurrency: scenario.concurrency ?? null,
    preload: scenario.retryFrom === undefined ? null : { executionId: 'earlier', fromStep: scenario.retryFrom },
  });
  let accepted = false;
  void first.host.begin(fresh, plan, lazy).then(() => (accepted = true));
  await settle();
  const second = world.host();
  await second.host.start();
  // A caller who got no answer asks again; the id makes that safe.
  if (!accepted) {
    await until(world.clock, () => accepted || first.connection.dead);
    if (!accepted) void second.host.begin(fresh, plan, lazy);
  }
  let sent = scenario.mail === undefined;
  await until(world.clock, async () => {
    if (!sent && scenario.mail?.when(world.db.executions.get(ID), [...world.db.executions.values()])) {
      sent = true;
      const mail = { ...scenario.mail.mail, at: world.clock.now() };
      await world.client.runs.post(ID, mail, world.clock.now());
      for (const { host, connection } of world.hosts) if (!connection.dead) host.deliver(ID, mail);
    }
    return settled(world);
  });
  await settle();
  const execution = world.db.executions.get(ID) as Execution;
  const journal = (world.db.journals.get(ID) ?? []).toSorted((a, b) => a.n - b.n);
  const entries = journal.flatMap((record) => JSON.parse(record.json) as Entry[]);
  return { world, execution, entries, writes: first.connection.writes };
}

/** All runs have ended, and nobody has anything left to tell or to give back. */
const settled = (world: World): boolean =>
  world.ended(ID) &&
  [...world.db.executions.values()].every(({ status, outbox }) => status !== 'running' && outbox.length === 0) &&
  world.db.groups.size === 0;

const outcomeOf = ({ status, output, error, response }: Execution) => ({ status, output, error, response });

/** Steps whose completion was on record before the crash ran once more afterwards: none may. */
function assertEffects(baseline: Result, crashed: Result): void {
  let again = 0;
  for (const [path, times] of baseline.world.outside.ran) {
    const ran = crashed.world.outside.ran.get(path) ?? 0;
    expect(ran).toBeGreaterThanOrEqual(times);
    again += ran - times;
  }
  // At most the one effect of each run that was in flight at the crash; the earlier one was over.
  const runs = [...crashed.world.db.executions.keys()].filter((id) => id !== 'earlier');
  expect(again).toBeLessThanOrEqual(runs.length);
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

/** A start whose caller waits may be stored late; whatever it stores, it must store in a bearable order. */
const STARTS = [false, true];
/** Runs of a group are never stored late, and those of others who start them make no difference. */
const startsOf = ({ others, concurrency }: Scenario): boolean[] =>
  others === undefined && concurrency === undefined ? STARTS : [false];

describe.each(SCENARIOS.flatMap((scenario) => startsOf(scenario).map((lazy) => ({ ...scenario, scenario, lazy }))))(
  'crash at every commit: $title (stored late: $lazy)',
  ({ scenario, lazy }) => {
    let baseline: Result;
    beforeAll(async () => {
      baseline = await play(scenario, null, lazy);
    });

    it('ends by itself without a crash', () => {
      assertHistory(baseline);
      expect(baseline.writes).toBeGreaterThan(0);
    });

    it.each(['before', 'after'] as const)('ends the same when the host dies %s any of its writes', async (when) => {
      for (let write = 1; write <= baseline.writes; write++) {
        const crashed = await play(scenario, { write, when }, lazy);
        expect({ write, ...outcomeOf(crashed.execution) }).toEqual({ write, ...outcomeOf(baseline.execution) });
        assertHistory(crashed);
        assertEffects(baseline, crashed);
      }
    });
  },
);

describe('how much is written', () => {
  const pure = SCENARIOS[0] as Scenario;

  it('two writes for a run of pure steps, one when its caller waits', async () => {
    const verbs = async (lazy: boolean) => {
      const { world } = await play(pure, null, lazy);
      return world.hosts[0]?.connection.log.filter((verb) => verb !== 'claim');
    };
    expect(await verbs(false)).toEqual(['insert', 'end']);
    expect(await verbs(true)).toEqual(['insert']);
  });
});

describe('what a record holds', () => {
  it('never a secret value, though a later step gets the real one', async () => {
    const scenario = SCENARIOS.find(({ title }) => title.startsWith('a secret')) as Scenario;
    const { world, entries } = await play(scenario, null);
    expect(JSON.stringify([...world.db.journals.values(), ...world.db.executions.values()])).not.toContain('hunter2');
    expect(world.outside.seen.map(({ input }) => input)).toEqual([
      { auth: 'Bearer hunter2-hunter2' },
      { again: 'Bearer hunter2-hunter2' },
    ]);
    expect(entries.find((entry) => entry.kind === 'step.started')).toMatchObject({ input: { auth: 'Bearer ***' } });
  });

  it('folds to the state that the rules had reached', async () => {
    for (const scenario of SCENARIOS) {
      const { world } = await play(scenario, null);
      const stored = (world.db.journals.get(ID) ?? [])
        .toSorted((a, b) => a.n - b.n)
        .flatMap((record) => JSON.parse(record.json) as Entry[]);
      const state = replay(stored);
      expect(state.ended).not.toBeNull();
      expect(state.open.size).toBe(0);
    }
  });
});
