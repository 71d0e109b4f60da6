import type { Json } from '../../../lib/json';
import type { PreparedPlan } from '../../../dsl';
import type { Outcome } from '../../../nodes/contract';
import { INITIAL_FIELDS } from '../../../runtime/worker/deps';
import { poisoned } from '../../../runtime/core/decide/poison';
import { addRecord, emptySurvey } from '../../../runtime/core/entries/survey';
import type { Entry } from '../../../runtime/core/entries/entry';
import { until } from '../../support/manual-clock';
import { execution, record } from '../../support/runtime/records';
import { LEASE_MS, World } from '../../support/runtime/world';

const effect = (id: string): Json => ({ id, type: 'effect', config: {} });
const think = (id: string): Json => ({ id, type: 'think', config: {} });
const never = (): Promise<never> => new Promise(() => {});

/** A run that waits to be claimed. */
const stored = (world: World, id: string, plan: PreparedPlan, given: object = {}): void => {
  const run = {
    ...world.execution(id, plan),
    ...INITIAL_FIELDS,
    owner: null,
    epoch: 0,
    wakeAt: world.clock.now(),
    ...given,
  };
  world.db.executions.set(id, run);
};

/** Kills the newest host as soon as the run is at the step, and starts another one, which takes its runs over. */
async function killAt(world: World, path: string): Promise<void> {
  const before = world.outside.ran.get(path) ?? 0;
  await until(world.clock, () => (world.outside.ran.get(path) ?? 0) > before);
  world.hosts.at(-1)?.connection.kill();
  await world.host().host.start();
}

const errorOf = (world: World, id: string) => world.row(id).error;

describe('a run that ends the process of each host that claims it', () => {
  it('is ended after three claims without any record, and other runs continue', async () => {
    const world = new World();
    world.answers.set('kills', never);
    world.answers.set('long', never);
    const plan = world.plan([think('kills')]);
    const beside = world.plan([effect('long')]);
    stored(world, 'poison', plan);
    stored(world, 'beside', beside);
    await world.host().host.start();
    for (let n = 0; n < 3; n++) await killAt(world, 'kills');
    await until(world.clock, () => world.ended('poison'));
    expect(world.row('poison')).toMatchObject({
      status: 'failed',
      epoch: 4,
      error: { code: 'poisoned', step_id: null },
    });
    expect(errorOf(world, 'poison')?.message).toContain('3 times in a row');
    expect(world.entries('poison').map(({ kind }) => kind)).toEqual(['run.ended']);
    world.answers.delete('long');
    world.hosts.at(-1)?.connection.kill();
    await world.host().host.start();
    await until(world.clock, () => world.ended('beside'));
    expect(world.row('beside').status).toBe('completed');
  });

  it('resets the count after each claim that has recorded more than intents', async () => {
    const world = new World();
    world.answers.set('b', never);
    const plan = world.plan([think('a'), think('b')]);
    stored(world, 'x', plan);
    await world.host().host.start();
    for (let n = 0; n < 3; n++) {
      await until(world.clock, () => (world.outside.ran.get('b') ?? 0) > n);
      // The first time the step before is on record when the host dies.
      if (n === 0) await until(world.clock, () => world.entries('x').length > 0);
      world.hosts.at(-1)?.connection.kill();
      await world.host().host.start();
    }
    await until(world.clock, () => (world.outside.ran.get('b') ?? 0) === 4);
    expect(world.ended('x')).toBe(false);
    world.hosts.at(-1)?.connection.kill();
    await world.host().host.start();
    await until(world.clock, () => world.ended('x'));
    expect(world.row('x').error).toMatchObject({ code: 'poisoned' });
    expect(world.outside.ran.get('b')).toBe(4);
  });

  it('is ended after ten claims that have recorded intents only', async () => {
    const world = new World();
    world.answers.set('e', never);
    const plan = world.plan([effect('e')]);
    stored(world, 'x', plan);
    await world.host().host.start();
    for (let n = 0; n < 10; n++) {
      expect(world.ended('x')).toBe(false);
      await killAt(world, 'e');
    }
    await until(world.clock, () => world.ended('x'));
    expect(world.row('x').error).toMatchObject({ code: 'poisoned', step_id: 'e' });
    expect(world.entries('x').slice(-2)).toMatchObject([{ kind: 'step.cancelled', path: 'e' }, { kind: 'run.ended' }]);
  });

  it('is not ended when its host is killed three times during a long step', async () => {
    const world = new World();
    world.answers.set('e', (n) => (n <= 3 ? never() : { kind: 'done', output: { n } }));
    const plan = world.plan([effect('e')]);
    stored(world, 'x', plan);
    await world.host().host.start();
    for (let n = 0; n < 3; n++) await killAt(world, 'e');
    await until(world.clock, () => world.ended('x'));
    expect(world.row('x').status).toBe('completed');
  });

  it('is not ended when it was in memory for long, though it recorded nothing', async () => {
    const world = new World();
    world.answers.set('t', (n) => (n <= 5 ? never() : { kind: 'done', output: { n } }));
    const plan = world.plan([think('t')]);
    stored(world, 'x', plan);
    await world.host().host.start();
    for (let n = 0; n < 5; n++) {
      await until(world.clock, () => (world.outside.ran.get('t') ?? 0) > n);
      const began = world.clock.now();
      await until(world.clock, () => world.clock.now() - began > 3 * LEASE_MS);
      world.hosts.at(-1)?.connection.kill();
      await world.host().host.start();
    }
    await until(world.clock, () => world.ended('x'));
    expect(world.row('x').status).toBe('completed');
  });

  it('is not ended by orderly stops', async () => {
    const world = new World();
    world.answers.set('t', (n) => (n <= 5 ? never() : { kind: 'done', output: { n } }));
    const plan = world.plan([think('t')]);
    stored(world, 'x', plan);
    await world.host().host.start();
    for (let n = 0; n < 5; n++) {
      await until(world.clock, () => (world.outside.ran.get('t') ?? 0) > n);
      let stopped = false;
      void world.hosts
        .at(-1)
        ?.host.stop(1_000)
        .then(() => (stopped = true));
      await until(world.clock, () => stopped);
      expect(world.row('x').claims).toBe(0);
      await world.host().host.start();
    }
    await until(world.clock, () => world.ended('x'));
    expect(world.row('x').status).toBe('completed');
  });

  it('is not ended while it waits', async () => {
    const world = new World();
    const plan = world.plan([{ id: 'w', type: 'wait_for_signal', config: { signal: 'go' } }]);
    stored(world, 'x', plan);
    await world.host().host.start();
    for (let n = 0; n < 6; n++) {
      await until(world.clock, () => world.row('x').owner === null && world.row('x').epoch > n);
      await world.send('x', { id: `m${n}`, name: 'other' });
    }
    await until(world.clock, () => world.row('x').owner === null && world.row('x').epoch > 6);
    expect(world.row('x')).toMatchObject({ status: 'running', claims: 0 });
  });
});

describe('runs whose last two claims have failed', () => {
  it('are claimed one at a time, so that one that kills its host does not affect others', async () => {
    const world = new World();
    world.answers.set('kills', never);
    const plan = world.plan([think('kills')]);
    const slow = world.plan([think('slow')]);
    let finish = (): void => {};
    world.answers.set('slow', () => new Promise((resolve) => (finish = () => resolve({ kind: 'done', output: {} }))));
    stored(world, 'poison', plan, { claims: 2, epoch: 2 });
    for (let n = 0; n < 20; n++)
      stored(world, `x${n}`, slow, { claims: 2, epoch: 2, wakeAt: world.clock.now() + 1 + n });
    world.clock.advance(100);
    await world.host().host.start();
    await killAt(world, 'kills');
    for (let n = 0; n < 20; n++) {
      await until(world.clock, () => (world.outside.ran.get('slow') ?? 0) > n);
      expect(world.hosts.at(-1)?.host.running).toBe(1);
      finish();
    }
    await until(world.clock, () => [...world.db.executions.keys()].every((id) => world.ended(id)));
    const failed = [...world.db.executions.values()].filter(({ status }) => status === 'failed').map(({ id }) => id);
    expect(failed).toEqual(['poison']);
  });
});

describe('a run whose plan makes the rules fail', () => {
  const broken = (world: World, what: 'decisions' | 'attempts'): PreparedPlan => {
    const plan = world.plan([think('a')]);
    const bad: PreparedPlan =
      what === 'decisions'
        ? Object.defineProperty({ ...plan }, 'root', { get: () => fail('no root') })
        : { ...plan, byPath: new Map() };
    world.plans.set(plan.plan.hash, bad);
    return bad;
  };
  const fail = (message: string): never => {
    throw new TypeError(message);
  };

  it.each(['decisions', 'attempts'] as const)(
    '(its %s) is given up after three claims, and its host goes on',
    async (what) => {
      const world = new World();
      const fine = world.plan([effect('e')]);
      const { host } = world.host();
      await host.start();
      const plan = broken(world, what);
      await host.begin(world.execution('bad', plan), plan);
      await until(world.clock, () => world.ended('bad'));
      expect(world.row('bad')).toMatchObject({ status: 'failed', error: { code: 'poisoned' }, epoch: 4 });
      expect(world.faults.map(String).join()).toContain('RuleFault: Execution bad cannot be decided');
      await host.begin(world.execution('fine', fine), fine);
      await until(world.clock, () => world.ended('fine'));
      expect([world.row('fine').status, host.running]).toEqual(['completed', 0]);
    },
  );
});

describe('the summary of a history', () => {
  const surveyed = (...records: [epoch: number, ...entries: Entry[]][]) => {
    const survey = emptySurvey();
    records.forEach(([epoch, ...entries], index) =>
      addRecord(survey, record('x', index + 1, { epoch, json: JSON.stringify(entries) })),
    );
    return survey;
  };
  const about = { path: 's', attempt: 1, at: 0 };
  const intent: Entry = { kind: 'step.started', ...about, input: null };
  const done: Entry = { kind: 'step.completed', ...about, started: 0, output: {} };

  it.each([
    ['three silent claims', 4, 4, surveyed(), true],
    ['two silent claims', 3, 3, surveyed(), false],
    ['claims that were released in between', 2, 40, surveyed(), false],
    ['progress by the second last claim', 9, 9, surveyed([8, done]), false],
    ['progress four claims ago', 9, 9, surveyed([5, done]), true],
    ['intents until now, progress four claims ago', 9, 9, surveyed([5, done], [8, intent]), false],
    ['intents until now, no progress for ten claims', 11, 11, surveyed([10, intent]), true],
  ])('with %s', (_, claims, epoch, survey, given) => {
    expect(poisoned(execution('x', { claims, epoch }), survey) !== null).toBe(given);
  });

  it('has the open steps, the steps to cancel, and the outcome', () => {
    const child: Entry = { kind: 'step.started', path: 'c', attempt: 1, at: 0, input: null, child: 'x>c' };
    const usage = { input_tokens: 2, output_tokens: 3, cost_usd: 0.5 };
    const survey = surveyed([1, intent, child], [1, { ...done, usage }]);
    expect(survey).toMatchObject({ n: 2, entries: 3, stepsRun: 1, tokens: 5, costUsd: 0.5 });
    expect([[...survey.open], [...survey.children.keys()]]).toEqual([['c'], ['x>c']]);
    addRecord(survey, record('x', 3, { json: JSON.stringify([{ ...done, path: 'c', mail: '$child:x>c' }]) }));
    expect([survey.open.size, survey.children.size]).toEqual([0, 0]);
  });
});

describe('work on the main thread', () => {
  it('of one run or of many yields to other work after 10 ms', async () => {
    const world = new World();
    let time = 0;
    world.threadTime = () => time;
    let turn = 0;
    const perTurn = new Map<number, number>();
    const hold = (): Outcome => {
      perTurn.set(turn, (perTurn.get(turn) ?? 0) + 1);
      time += 6;
      return { kind: 'done', output: {} };
    };
    for (const path of ['a', 'b']) world.answers.set(path, hold);
    const plan = world.plan([think('a'), think('b')]);
    let ticking = true;
    const tick = (): void => {
      turn += 1;
      if (ticking) setImmediate(tick);
    };
    tick();
    const { host } = world.host();
    await host.start();
    await Promise.all(Array.from({ length: 30 }, (_, n) => host.begin(world.execution(`r${n}`, plan), plan)));
    await until(world.clock, () => world.endings.length === 30);
    ticking = false;
    expect([...perTurn.values()].reduce((sum, n) => sum + n, 0)).toBe(60);
    expect(Math.max(...perTurn.values())).toBeLessThanOrEqual(2);
  });
});
