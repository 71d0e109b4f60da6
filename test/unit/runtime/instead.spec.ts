import type { Json, JsonObject } from '../../../lib/json';
import { until } from '../../support/manual-clock';
import { World } from '../../support/runtime/world';

const effect = (id: string, config: JsonObject = {}, more: JsonObject = {}): Json => ({
  id,
  type: 'effect',
  config,
  ...more,
});

async function begun() {
  const world = new World();
  const { host, connection } = world.host();
  await host.start();
  let number = 0;
  return {
    world,
    connection,
    async run(steps: Json[], trigger: JsonObject = {}, triggerType = 'webhook') {
      const id = `run${++number}`;
      const plan = world.plan(steps);
      await host.begin(world.execution(id, plan, trigger, { triggerType }), plan);
      await until(world.clock, () => world.ended(id));
      return { row: world.row(id), entries: world.entries(id) };
    },
  };
}

describe('a step whose output is cached', () => {
  const cached = [effect('a', { v: '{{ trigger.v }}' }, { cache: '10m' })];

  it('is executed once for the same input until the cached output expires', async () => {
    const { world, run } = await begun();
    expect((await run(cached, { v: 1 })).row.output).toEqual({ v: 1, effect: 'a' });
    const again = await run(cached, { v: 1 });
    expect(again.row.output).toEqual({ v: 1, effect: 'a' });
    expect(again.entries).toMatchObject([
      { kind: 'step.completed', path: 'a', input: { v: 1 }, instead: 'cache' },
      { kind: 'run.ended' },
    ]);
    expect(world.outside.ran.get('a')).toBe(1);
    await run(cached, { v: 2 });
    expect(world.outside.ran.get('a')).toBe(2);
    world.clock.advance(10 * 60_000);
    await run(cached, { v: 1 });
    expect(world.outside.ran.get('a')).toBe(3);
  });

  it('may define its own cache key', async () => {
    const { world, run } = await begun();
    const steps = [effect('a', { v: '{{ trigger.v }}' }, { cache: { ttl: '10m', key: '{{ trigger.customer }}' } })];
    await run(steps, { v: 1, customer: 'x' });
    expect((await run(steps, { v: 2, customer: 'x' })).row.output).toMatchObject({ v: 1 });
    expect((await run(steps, { v: 3, customer: 'y' })).row.output).toMatchObject({ v: 3 });
    expect(world.outside.ran.get('a')).toBe(2);
  });

  it('stores no output with a secret', async () => {
    const { world, run } = await begun();
    world.secrets.set('KEY', 'hunter2-hunter2');
    const steps = [effect('a', { v: '{{ secret.KEY }}' }, { cache: '10m' })];
    await run(steps);
    await run(steps);
    expect(world.outside.ran.get('a')).toBe(2);
    expect(JSON.stringify([...world.db.outputs.values()])).not.toContain('hunter2');
  });

  it('that fails stores nothing', async () => {
    const { world, run } = await begun();
    world.answers.set('a', (n) =>
      n === 1
        ? { kind: 'fail', error: { code: 'c', message: 'm' }, retryable: false }
        : { kind: 'done', output: { n } },
    );
    await run(cached, { v: 1 });
    expect((await run(cached, { v: 1 })).row.output).toEqual({ n: 2 });
  });

  it('is not undone by a run that used the cached output', async () => {
    const { run } = await begun();
    const steps = [
      effect('a', {}, { cache: '10m', compensate: [effect('u')] }),
      { id: 'f', type: 'fail', config: { message: 'no' } },
    ];
    const paths = async (): Promise<string[]> =>
      (await run(steps)).entries.flatMap((entry) => (entry.kind === 'step.completed' ? [entry.path] : []));
    expect(await paths()).toEqual(['a', 'a/compensate/u']);
    expect(await paths()).toEqual(['a']);
  });

  it.each(['findOutput', 'keepOutput'])('is executed when the cache fails: %s', async (verb) => {
    const { world, run, connection } = await begun();
    connection.fails = (asked) => (asked === verb ? 'before' : null);
    expect((await run(cached, { v: 1 })).row.status).toBe('completed');
    expect((await run(cached, { v: 1 })).row.status).toBe('completed');
    expect(world.outside.ran.get('a')).toBe(2);
  });
});

describe('a step whose output is pinned', () => {
  const pinned = [
    effect('a', { v: '{{ trigger.no.such }}' }, { pin: { v: 7 } }),
    effect('b', { v: '{{ steps.a.v }}' }),
  ];

  it.each(['manual', 'test'])('is not executed in test runs: %s', async (triggerType) => {
    const { world, run } = await begun();
    const { row, entries } = await run(pinned, triggerType === 'test' ? { trigger: {} } : {}, triggerType);
    expect(row.output).toMatchObject({ v: 7 });
    expect(entries[0]).toMatchObject({ kind: 'step.completed', path: 'a', output: { v: 7 }, instead: 'pin' });
    expect([...world.outside.ran.keys()]).toEqual(['b']);
  });

  it.each(['webhook', 'schedule', 'sub_workflow', 'retry'])('is executed in other runs: %s', async (triggerType) => {
    const { run } = await begun();
    expect((await run(pinned, {}, triggerType)).row.error).toMatchObject({ code: 'expression', step_id: 'a' });
  });

  it('is skipped as any other', async () => {
    const { run } = await begun();
    const { entries } = await run([effect('a', {}, { pin: { v: 7 }, if: false })], {}, 'manual');
    expect(entries).toMatchObject([{ kind: 'step.skipped' }, { kind: 'run.ended' }]);
  });
});
