import type { Json, JsonObject } from '../../../lib/json';
import type { NodeType } from '../../../nodes/contract';
import { settle, until } from '../../support/manual-clock';
import { partsNode } from '../../support/runtime/parts';
import { World } from '../../support/runtime/world';

const parts = (list: Json[], more: JsonObject = {}, id = 'p'): Json => ({
  id,
  type: 'parts',
  config: { parts: list, ...more },
});

function worldOfParts(): World {
  const world = new World();
  world.more.set('parts', partsNode(world));
  return world;
}

async function started(steps: Json[], world = worldOfParts()) {
  const first = world.host();
  await first.host.start();
  const plan = world.plan(steps);
  await first.host.begin(world.execution('a', plan), plan);
  return { world, first };
}

async function ended(world: World) {
  await until(world.clock, () => world.ended('a'));
  return world.row('a');
}

/** Another host takes over what the first one leaves behind, when it has died. */
async function takenOver(world: World) {
  world.hosts[0]?.connection.kill();
  await world.host().host.start();
  return ended(world);
}

describe('a sub-step', () => {
  it('runs once, though the step is retried', async () => {
    const { world } = await started([
      { ...(parts([{ do: 'x' }, { do: 'y' }]) as JsonObject), retry: { max_attempts: 3, initial_interval: '1s' } },
    ]);
    world.parts.set('p#y', (n) => {
      if (n === 1) throw new Error('not yet');
      return n;
    });
    expect((await ended(world)).output).toEqual({ x: { part: 'x' }, y: 2 });
    expect([...world.outside.ran]).toEqual([
      ['p#x', 1],
      ['p#y', 2],
    ]);
  });

  it('has its intent recorded before it starts, and its result before the next one starts', async () => {
    const seen: Record<string, string[]> = {};
    const world = worldOfParts();
    const noted = (): string[] =>
      world
        .entries('a')
        .flatMap((entry) => (entry.kind === 'step.noted' ? [`${entry.key}:${String(entry.value)}`] : []));
    for (const part of ['x', 'y'])
      world.parts.set(`p#${part}`, () => {
        seen[part] = noted();
        return part.toUpperCase();
      });
    await started([parts([{ do: 'x' }, { do: 'y' }])], world);
    await ended(world);
    expect(seen).toEqual({ x: ['x:undefined'], y: ['x:undefined', 'x:X', 'y:undefined'] });
  });

  it('is not repeated by another host, unless it was in progress', async () => {
    const { world } = await started([parts([{ do: 'x' }, { do: 'y' }, { do: 'z' }])]);
    world.parts.set('p#y', (n) => (n === 1 ? new Promise<never>(() => {}) : n));
    await settle(20);
    expect((await takenOver(world)).output).toEqual({ x: { part: 'x' }, y: 2, z: { part: 'z' } });
    expect([...world.outside.ran]).toEqual([
      ['p#x', 1],
      ['p#y', 2],
      ['p#z', 1],
    ]);
    const keys = world.outside.seen.filter(({ path }) => path === 'p#y').map(({ key }) => key);
    expect(new Set(keys).size).toBe(1);
  });

  it('that must not be repeated follows the recovery policy of the step after an interruption', async () => {
    const { world } = await started([parts([{ do: 'x' }, { do: 'y' }], { unsure: true })]);
    world.parts.set('p#x', () => new Promise<never>(() => {}));
    await settle(20);
    expect((await takenOver(world)).output).toEqual({ x: 'unknown', y: { part: 'y' } });
    expect(world.outside.ran.get('p#x')).toBe(1);
  });

  it('adds its usage to the run', async () => {
    const { world } = await started([parts([{ do: 'x' }, { do: 'y' }])]);
    expect(await ended(world)).toMatchObject({ tokens: 22, costUsd: 1 });
  });

  it('has real secrets, and none of them is recorded', async () => {
    const world = worldOfParts();
    world.secrets.set('KEY', 'hunter2-hunter2');
    let again: Json = null;
    world.more.set('twice', {
      ...partsNode(world),
      type: 'twice',
      run: async (ctx) => {
        const first = await ctx.once('k', async () => ({ value: { token: String(ctx.input.key) } }));
        again = ctx.checkpoint('k') ?? null;
        return { kind: 'done', output: { same: JSON.stringify(first) === JSON.stringify(again) } };
      },
    });
    await started([{ id: 'p', type: 'twice', config: { key: '{{ secret.KEY }}' } }], world);
    expect((await ended(world)).output).toEqual({ same: true });
    expect(again).toEqual({ token: 'hunter2-hunter2' });
    expect(JSON.stringify([...world.db.journals.values()])).not.toContain('hunter2');
  });

  it('is removed when its step has ended', async () => {
    const { world } = await started([parts([{ do: 'x' }]), parts([{ do: 'x' }], {}, 'q')]);
    await ended(world);
    expect(world.outside.ran.get('q#x')).toBe(1);
  });

  it('cannot start after the run was cancelled', async () => {
    const { world } = await started([parts([{ do: 'x' }, { do: 'y' }])]);
    let release = (_: Json): void => {};
    world.parts.set('p#x', () => new Promise<Json>((resolve) => (release = resolve)));
    await settle(20);
    await world.send('a', { id: '$cancel', name: '$cancel' });
    expect((await ended(world)).status).toBe('cancelled');
    release(1);
    await settle(20);
    expect(world.outside.ran.has('p#y')).toBe(false);
  });
});

describe('a step that waits between sub-steps', () => {
  it('resumes with the result of the wait', async () => {
    const { world } = await started([parts([{ do: 'x' }, { wait: 'w', for: 60_000 }, { do: 'y' }])]);
    expect((await ended(world)).output).toEqual({
      x: { part: 'x' },
      w: { ok: true, output: {} },
      y: { part: 'y' },
    });
    expect([...world.outside.ran.values()]).toEqual([1, 1]);
    expect(
      world
        .entries('a')
        .flatMap((entry) => ('attempt' in entry ? [entry.attempt] : []))
        .at(-1),
    ).toBe(2);
  });

  it('asks with a new name each time, and receives each answer', async () => {
    const { world } = await started([parts([{ ask: 'one' }, { ask: 'two' }])]);
    const name = async (): Promise<string> => {
      await until(world.clock, () => world.row('a').waiting.length === 1);
      return String(world.row('a').waiting[0]?.name);
    };
    const first = await name();
    await world.send('a', { id: 'm1', name: first, data: { approved: true } });
    await until(world.clock, () => world.row('a').waiting[0]?.name !== first);
    const second = await name();
    expect([first, second]).toEqual(['approve-p#1', 'approve-p#2']);
    await world.send('a', { id: 'm2', name: second, data: { approved: false } });
    expect((await ended(world)).output).toMatchObject({
      one: { ok: true, output: { approved: true } },
      two: { ok: true, output: { approved: false } },
    });
  });

  it('starts one run after the other, each by its purpose', async () => {
    const world = worldOfParts();
    world.workflows.set('good', world.plan([{ id: 's', type: 'set', config: { key: '{{ trigger.key }}' } }]));
    world.workflows.set('bad', world.plan([{ id: 'f', type: 'fail', config: { message: 'no', code: 'nope' } }]));
    await started(
      [
        parts([
          { call: 'one', workflow: 'good' },
          { call: 'two', workflow: 'bad' },
          { call: 'three', workflow: 'none' },
          { call: 'four', workflow: 'good' },
        ]),
      ],
      world,
    );
    expect((await ended(world)).output).toMatchObject({
      one: { ok: true, output: { status: 'completed', output: { key: 'one' } } },
      two: { ok: false, error: { code: 'child_failed' } },
      three: { ok: false, error: { code: 'workflow_unknown' } },
      four: { ok: true, output: { output: { key: 'four' } } },
    });
    expect(world.db.executions.size).toBe(4);
  });
});

describe('the access of a node', () => {
  it('includes the run, other node types, and its sub-steps with unique keys', async () => {
    const world = worldOfParts();
    const seen: Record<string, unknown> = {};
    const probe: NodeType = {
      ...partsNode(world),
      type: 'probe',
      run: async (ctx) => {
        const set = await ctx.nodeType('set');
        const inner = ctx.within('tool', { v: 2 });
        seen.run = ctx.run();
        seen.keys = [ctx.idempotencyKey, ctx.keyOf('k'), inner.idempotencyKey, inner.keyOf('k')];
        seen.none = await ctx.nodeType('no-such-type');
        await ctx.once('k', async () => ({ value: 1 }));
        await inner.once('k', async () => ({ value: 2 }));
        seen.notes = [ctx.checkpoint('k'), inner.checkpoint('k'), ctx.checkpoint('tool/k')];
        return (await set?.run(inner)) ?? { kind: 'done', output: {} };
      },
    };
    world.more.set('probe', probe);
    await started(
      [
        { id: 'one', type: 'set', config: { v: 1 } },
        { id: 'each', type: 'foreach', config: { items: ['x'] }, steps: [{ id: 'p', type: 'probe', config: {} }] },
      ],
      world,
    );
    expect((await ended(world)).output).toEqual({ results: [{ v: 2 }], count: 1 });
    expect(seen).toEqual({
      run: { trigger: {}, steps: { one: { v: 1 } }, loop: { item: 'x', index: 0 } },
      keys: ['a/each/steps[0]/p', 'a/each/steps[0]/p#k', 'a/each/steps[0]/p#tool', 'a/each/steps[0]/p#tool/k'],
      none: undefined,
      notes: [1, 2, 2],
    });
  });
});
