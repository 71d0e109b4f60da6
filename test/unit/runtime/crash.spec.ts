import type { Json, JsonObject } from '../../../lib/json';
import type { Entry } from '../../../runtime/core/entries/entry';
import { replay } from '../../../runtime/core/state/fold';
import { CANCEL } from '../../../runtime/core/decide/waits';
import type { Execution } from '../../../runtime/core/model';
import { describeCrashes, ID, play, type Scenario } from '../../support/runtime/crashes';

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

/** Ends by a signal; later steps do not use the secret. */
const DATED: Json = {
  id: 'each',
  type: 'foreach',
  config: { items: [1, 2], concurrency: 2 },
  steps: [
    effect('a', { year: '{{ secret.YEAR }}', date: '2026-11-23' }, { if: '{{ loop.item == 1 }}' }),
    { id: 'w', type: 'wait_for_signal', if: '{{ loop.item == 2 }}', config: { signal: 'go' } },
  ],
};

const THROTTLE = { window: 'w', key: '', limit: 1, periodMs: 5_000, burst: 1, passed: false } as const;
const KEY = { group: 'g', key: 'k', limit: 1, onConflict: 'queue' } as const;

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
    // Counts attempts that returned, so a crash changes which attempt is the last, not the result.
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
    title: 'a pause while an effect is in flight, and a timer behind it',
    steps: [
      effect('a', {}, { retry: { max_attempts: 5, initial_interval: '10s' } }),
      { id: 'w', type: 'wait', config: { for: '40s' } },
      effect('b', { v: '{{ steps.a.n }}' }),
    ],
    prepare: (world) =>
      world.answers.set('a', (n) =>
        n < 2
          ? { kind: 'fail', error: { code: 'x', message: 'not yet' }, retryable: true }
          : { kind: 'done', output: { n: 1 } },
      ),
    pauseWhen: (_, world) => world.outside.ran.has('a'),
  },
  {
    title: 'a pause of a run that waits for a timer',
    steps: [effect('a'), { id: 'w', type: 'wait', config: { for: '40s' } }, effect('b')],
    pauseWhen: waits,
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
    status: 'failed',
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
    title: 'data that equals a short secret by chance',
    steps: [DATED],
    mail: { when: waits, mail: { id: 'm1', name: 'go', data: { ok: true }, by: null } },
    prepare: (world) => world.secrets.set('YEAR', '2026'),
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
    status: 'cancelled',
    steps: [effect('a'), call('other')],
    others: { other: [effect('c'), { id: 'ok', type: 'approval', config: { message: 'Go?' } }] },
    mail: {
      // The child has done all that it can without messages, after any crash.
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
    // A run that ended without releasing its permit.
    prepare: (world) => void world.db.groups.set('g', { holders: [{ id: 'gone', at: 0 }], queued: false }),
    concurrency: KEY,
  },
  {
    title: 'a run of a group, alone',
    steps: [set('a', { v: 1 }), effect('b', { v: '{{ steps.a.v }}' }), set('c', { v: 2 })],
    concurrency: KEY,
  },
  {
    title: 'a run of pure steps of a group of two',
    steps: [set('a', { v: 1 })],
    concurrency: { ...KEY, limit: 2 },
  },
  {
    title: 'a throttled run, alone',
    steps: [set('a', { v: 1 }), effect('b', { v: '{{ steps.a.v }}' })],
    throttle: THROTTLE,
  },
  {
    title: 'a throttled run that waits for its turn, and then for a permit',
    steps: [effect('a', { v: 1 }), { id: 'w', type: 'wait', config: { for: '40s' } }, effect('b')],
    prepare: (world) => {
      const starts = [{ id: 'earlier', at: world.clock.now() }];
      world.db.windows.set('w', { starts, queued: false, revision: 'earlier' });
    },
    throttle: THROTTLE,
    concurrency: KEY,
  },
  {
    title: 'an output too big for the journal',
    steps: [effect('a', { text: '{{ pad("x", 200000, "y") }}' }), effect('b', { size: '{{ length(steps.a.text) }}' })],
  },
];

describeCrashes(SCENARIOS);

describe('the number of writes', () => {
  const pure = SCENARIOS[0] as Scenario;

  it('is two for a run of pure steps that is stored at once, one when it may be stored late', async () => {
    const verbs = async (storeWithinMs: number) => {
      const { world } = await play(pure, null, storeWithinMs);
      return world.hosts[0]?.connection.log.filter((verb) => verb !== 'claim');
    };
    expect(await verbs(0)).toEqual(['insert', 'end']);
    expect(await verbs(2)).toEqual(['insert']);
    expect(await verbs(Number.POSITIVE_INFINITY)).toEqual(['insert']);
  });

  it('is three more for a run with a concurrency key that no other run has', async () => {
    const { world } = await play({ ...pure, concurrency: KEY }, null, 2);
    expect(world.hosts[0]?.connection.log).toEqual(['enter', 'insert', 'leave', 'settle']);
  });
});

describe('the number of writes of a throttled run', () => {
  it('is one more while the window has room', async () => {
    const { world } = await play({ ...(SCENARIOS[0] as Scenario), throttle: THROTTLE }, null, 2);
    expect(world.hosts[0]?.connection.log).toEqual(['admit', 'insert']);
  });
});

describe('a record', () => {
  it('has no secret value, though a later step gets it', async () => {
    const scenario = SCENARIOS.find(({ title }) => title.startsWith('a secret')) as Scenario;
    const { world, entries } = await play(scenario, null);
    expect(JSON.stringify([...world.db.journals.values(), ...world.db.executions.values()])).not.toContain('hunter2');
    expect(world.outside.seen.map(({ input }) => input)).toEqual([
      { auth: 'Bearer hunter2-hunter2' },
      { again: 'Bearer hunter2-hunter2' },
    ]);
    expect(entries.find((entry) => entry.kind === 'step.started')).toMatchObject({ input: { auth: 'Bearer ***' } });
  });

  it('has the placeholder of a short secret, and the output of the run its text', async () => {
    const scenario = SCENARIOS.find(({ title }) => title.startsWith('data that equals')) as Scenario;
    const { world, execution } = await play(scenario, null);
    expect(JSON.stringify([...world.db.journals.values()])).not.toContain('2026-11-23');
    expect(JSON.stringify(execution.output)).toContain('"date":"2026-11-23"');
    expect(execution.status).toBe('completed');
  });

  it('folds to the same state', async () => {
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
