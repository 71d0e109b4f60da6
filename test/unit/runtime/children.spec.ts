import type { Json, JsonObject } from '../../../lib/json';
import { childMessageId, MAX_DEPTH } from '../../../runtime/core/decide/children';
import { CANCEL } from '../../../runtime/core/decide/waits';
import type { Execution } from '../../../runtime/core/model';
import { settle, until } from '../../support/manual-clock';
import { World } from '../../support/runtime/world';

const effect = (id: string, more: JsonObject = {}): Json => ({ id, type: 'effect', config: {}, ...more });
const nap = (id: string, time: string): Json => ({ id, type: 'wait', config: { for: time } });
const call = (config: JsonObject = {}, more: JsonObject = {}): Json => ({
  id: 'call',
  type: 'sub_workflow',
  config: { workflow: 'other', ...config },
  ...more,
});
const CHILD = 'a>call#0';

/** A world with one host, a workflow `other` of these steps, and a run `a` of those. */
async function family(child: Json[], parent: Json[], given: { rest?: JsonObject; childRest?: JsonObject } = {}) {
  const world = new World();
  world.workflows.set('other', world.plan(child, given.childRest));
  const { host, connection } = world.host();
  await host.start();
  const plan = world.plan(parent, given.rest);
  await host.begin(world.execution('a', plan), plan);
  return { world, host, connection, plan };
}

const ended = (world: World, ...ids: string[]): Promise<void> =>
  until(world.clock, () => ids.every((id) => world.ended(id)));

const waitsForChild = (world: World): Promise<void> =>
  until(world.clock, () => world.row('a').owner === null && world.row('a').waiting[0]?.kind === 'child');

describe('a step that runs another workflow', () => {
  it('waits out of memory, and has the output of the child', async () => {
    const { world, host } = await family(
      [nap('n', '10m'), effect('e')],
      [call({ input: { v: 7 } }), { id: 's', type: 'set', config: { got: '{{ steps.call.output.v }}' } }],
      { childRest: { output: { v: '{{ trigger.v * 2 }}' } } },
    );
    await waitsForChild(world);
    expect(world.row('a').waiting).toMatchObject([{ step_id: 'call', kind: 'child', name: CHILD, until: null }]);
    expect(world.row(CHILD)).toMatchObject({
      parent: { executionId: 'a', path: 'call', awaited: true },
      depth: 1,
      trigger: { v: 7 },
    });
    await until(world.clock, () => host.running === 0);
    await ended(world, 'a');
    expect(world.row('a').output).toEqual({ got: 14 });
    expect(world.row(CHILD).outbox).toEqual([]);
    const completed = world.entries('a').find((entry) => entry.kind === 'step.completed' && entry.path === 'call');
    expect(completed).toMatchObject({
      output: { execution_id: CHILD, status: 'completed', output: { v: 14 } },
      mail: childMessageId(CHILD),
    });
  });

  it('continues at once when it does not wait, and gets no message about the end', async () => {
    const { world, connection } = await family([nap('n', '10m')], [call({ wait: false }), effect('e')]);
    await ended(world, 'a');
    expect(world.ended(CHILD)).toBe(false);
    expect(world.entries('a').find((entry) => entry.kind === 'step.completed')).toMatchObject({
      output: { execution_id: CHILD, status: 'running' },
    });
    await ended(world, CHILD);
    await settle();
    expect(connection.log).not.toContain('post');
  });

  it('fails with the message of a failed child', async () => {
    const { world } = await family(
      [{ id: 'f', type: 'fail', config: { message: 'no stock', code: 'x' } }],
      [call({}, { on_error: 'continue' }), { id: 's', type: 'set', config: { why: '{{ steps.call.error }}' } }],
    );
    await ended(world, 'a');
    expect(world.row('a').output).toEqual({
      why: { code: 'child_failed', message: `Execution ${CHILD} failed: no stock` },
    });
  });

  it('starts a new run at each attempt that its retry allows', async () => {
    const retry = { max_attempts: 3, initial_interval: '1m', jitter: 0 };
    const { world } = await family([effect('e')], [call({}, { retry })]);
    world.answers.set('e', (n) =>
      n < 3
        ? { kind: 'fail', error: { code: 'x', message: 'not yet' }, retryable: false }
        : { kind: 'done', output: { n } },
    );
    await ended(world, 'a');
    expect([0, 1, 2].map((n) => world.row(`a>call#${n}`).status)).toEqual(['failed', 'failed', 'completed']);
    expect(world.row('a')).toMatchObject({ status: 'completed', output: { execution_id: 'a>call#2' } });
  });

  it('fails finally when the child is cancelled', async () => {
    const retry = { max_attempts: 3 };
    const { world } = await family([nap('n', '1d')], [call({}, { retry })]);
    await waitsForChild(world);
    await world.send(CHILD, { id: CANCEL, name: CANCEL });
    await ended(world, 'a');
    expect(world.row('a')).toMatchObject({ status: 'failed', error: { code: 'child_cancelled', step_id: 'call' } });
    expect(world.db.executions.size).toBe(2);
  });

  it('fails when there is no such workflow', async () => {
    const { world } = await family([effect('e')], [call({ workflow: 'unheard-of' }, { retry: { max_attempts: 3 } })]);
    await ended(world, 'a');
    expect(world.row('a')).toMatchObject({ status: 'failed', error: { code: 'workflow_unknown' } });
    expect(world.db.executions.size).toBe(1);
  });

  it(`nests ${MAX_DEPTH} levels deep, and fails at the next`, async () => {
    const { world } = await family([call()], [call()]);
    await ended(world, 'a');
    expect([...world.db.executions.values()].map(({ depth }) => depth).sort((a, b) => a - b)).toEqual(
      Array.from({ length: MAX_DEPTH + 1 }, (_, depth) => depth),
    );
    const deepest = [...world.db.executions.values()].find(({ depth }) => depth === MAX_DEPTH) as Execution;
    expect(deepest.error).toMatchObject({ code: 'too_deep' });
    expect(world.row('a').status).toBe('failed');
  });

  it('gets an output of any size, though the message only refers to it', async () => {
    const { world } = await family(
      [{ id: 't', type: 'set', config: { text: '{{ pad("x", 300000, "y") }}' } }],
      [call(), { id: 's', type: 'set', config: { size: '{{ length(steps.call.output.text) }}' } }],
    );
    await ended(world, 'a');
    expect(world.row('a').output).toEqual({ size: 300_000 });
    expect(JSON.stringify(world.db.mail.get('a')).length).toBeLessThan(1_000);
  });

  it('fails when that output was removed before it was read', async () => {
    const { world } = await family(
      [nap('n', '10m'), { id: 't', type: 'set', config: { text: '{{ pad("x", 300000, "y") }}' } }],
      [call()],
    );
    await waitsForChild(world);
    for (const { connection } of world.hosts) {
      const load = connection.runs.load.bind(connection.runs);
      connection.runs.load = async (id) => (id === CHILD ? null : load(id));
    }
    await ended(world, 'a');
    expect(world.row('a').error).toMatchObject({ code: 'child_failed', message: expect.stringContaining('removed') });
  });

  it('passes no secret', async () => {
    const world = new World();
    world.secrets.set('KEY', 'hunter2-hunter2');
    world.workflows.set('other', world.plan([effect('c')]));
    const { host } = world.host();
    await host.start();
    const plan = world.plan([
      effect('e', { config: { k: '{{ secret.KEY }}' } }),
      call({ input: { k: '{{ steps.e.k }}' } }),
    ]);
    await host.begin(world.execution('a', plan), plan);
    await ended(world, 'a');
    expect(world.row(CHILD).trigger).toEqual({ k: '***' });
  });

  it('passes data that equals a short secret by chance, and gets it back', async () => {
    const world = new World();
    world.secrets.set('YEAR', '2026');
    const echo = { id: 'echo', type: 'set', config: { date: '{{ trigger.date }}' } };
    world.workflows.set('other', world.plan([echo]));
    const { host } = world.host();
    await host.start();
    const plan = world.plan([
      effect('e', { config: { year: '{{ secret.YEAR }}' } }),
      { id: 'd', type: 'set', config: { date: '2026-11-23' } },
      call({ input: { date: '{{ steps.d.date }}' } }),
      { id: 'r', type: 'webhook_response', config: { body: '{{ steps.call.output }}' } },
      { id: 'out', type: 'set', config: { date: '{{ steps.call.output.date }}' } },
    ]);
    await host.begin(world.execution('a', plan), plan);
    await ended(world, 'a');
    expect(world.row(CHILD).trigger).toEqual({ date: '2026-11-23' });
    expect(world.row('a')).toMatchObject({
      status: 'completed',
      output: { date: '2026-11-23' },
      response: { body: { date: '2026-11-23' } },
    });
    expect(JSON.stringify(world.db.journals.get('a'))).toContain('***-11-23');
  });
});

describe('a start of another run', () => {
  it('without an answer is repeated, and happens once', async () => {
    const world = new World();
    world.workflows.set('other', world.plan([effect('c')]));
    const { host } = world.host();
    await host.start();
    const start = world.startChild;
    let asked = 0;
    world.startChild = async (...args) => {
      const started = await start(...args);
      if (++asked < 3) throw new Error('the answer was lost');
      return started;
    };
    const plan = world.plan([call()]);
    await host.begin(world.execution('a', plan), plan);
    await ended(world, 'a');
    expect([asked, world.outside.ran.get('c')]).toEqual([3, 1]);
  });

  it('that is refused temporarily is retried by the policy of the step, with the same id', async () => {
    const world = new World();
    world.workflows.set('other', world.plan([effect('c')]));
    const { host } = world.host();
    await host.start();
    const start = world.startChild;
    let asked = 0;
    world.startChild = async (...args) =>
      ++asked < 3
        ? { kind: 'refused', error: { code: 'rate_limited', message: 'later' }, retryable: true }
        : start(...args);
    const plan = world.plan([call({}, { retry: { max_attempts: 3, initial_interval: '1s' } })]);
    await host.begin(world.execution('a', plan), plan);
    await ended(world, 'a');
    expect(world.row('a').status).toBe('completed');
    expect([...world.db.executions.keys()]).toEqual(['a', CHILD]);
  });

  it('without an answer fails no step until the run ends', async () => {
    const world = new World();
    const { host } = world.host();
    await host.start();
    world.startChild = () => Promise.reject(new Error('the service does not answer'));
    const plan = world.plan([call({}, { timeout: '5s' })], { timeout: '5m' });
    await host.begin(world.execution('a', plan), plan);
    const began = world.clock.now();
    await ended(world, 'a');
    expect(world.row('a').error).toMatchObject({ code: 'timed_out', step_id: null });
    expect(world.clock.now() - began).toBe(300_000);
  });
});

/** Two hosts: the first runs the parent, the second the child. */
async function apart(child: Json[], parent: Json[]) {
  const world = new World();
  world.workflows.set('other', world.plan(child));
  const [first, second] = [world.host(), world.host()];
  for (const { host } of [first, second]) await host.start();
  const start = world.startChild;
  world.startChild = (_, asked) => start(second.host, asked);
  const plan = world.plan(parent);
  return { world, first, second, begin: () => first.host.begin(world.execution('a', plan), plan) };
}

describe('a run whose child is on another host', () => {
  it('applies its end when the message came before the wait was recorded', async () => {
    const { world, first, begin } = await apart([effect('c')], [effect('e'), call()]);
    const start = world.startChild;
    let release = (): void => {};
    world.startChild = async (...args) => {
      release = first.connection.hold('append');
      return start(...args);
    };
    await begin();
    await until(world.clock, () => world.db.executions.has(CHILD) && world.row(CHILD).outbox.length === 0);
    expect([world.ended(CHILD), world.db.mail.get('a')?.length]).toEqual([true, 1]);
    release();
    await ended(world, 'a');
    expect(world.row('a')).toMatchObject({ status: 'completed', output: { execution_id: CHILD } });
  });

  it('cancels the child though its own host died before the wait was recorded', async () => {
    const { world, first, begin } = await apart([nap('n', '1d')], [call()]);
    const start = world.startChild;
    world.startChild = async (...args) => {
      const started = await start(...args);
      first.connection.kill();
      return started;
    };
    await begin();
    await until(world.clock, () => first.connection.dead);
    await world.send('a', { id: CANCEL, name: CANCEL });
    await ended(world, 'a', CHILD);
    expect([world.row('a').status, world.row(CHILD).status]).toEqual(['cancelled', 'cancelled']);
    expect(world.entries('a').map(({ kind }) => kind)).toEqual(['step.started', 'step.cancelled', 'run.ended']);
  });

  it('continues with the same child when its own host died before the wait was recorded', async () => {
    const { world, first, begin } = await apart([nap('n', '30s'), effect('c')], [call()]);
    const start = world.startChild;
    world.startChild = async (...args) => {
      const started = await start(...args);
      if (!first.connection.dead) first.connection.kill();
      return started;
    };
    await begin();
    await ended(world, 'a');
    expect(world.row('a').output).toMatchObject({ execution_id: CHILD });
    expect([world.db.executions.size, world.outside.ran.get('c')]).toEqual([2, 1]);
  });
});

describe('the end of a run that waits for another', () => {
  it.each([
    ['by a cancellation', {}, (world: World) => world.send('a', { id: CANCEL, name: CANCEL }), 'cancelled'],
    ['by its deadline', { timeout: '10m' }, () => Promise.resolve(), 'failed'],
  ] as [string, JsonObject, (world: World) => Promise<unknown>, string][])(
    '%s cancels that one, and whatever that one waits for',
    async (_, rest, act, status) => {
      const world = new World();
      world.workflows.set('third', world.plan([nap('n', '3d')]));
      world.workflows.set('other', world.plan([call({ workflow: 'third' })]));
      const { host } = world.host();
      await host.start();
      const plan = world.plan([call()], rest);
      await host.begin(world.execution('a', plan), plan);
      await waitsForChild(world);
      await until(world.clock, () => world.row(CHILD).owner === null);
      await act(world);
      await ended(world, 'a', CHILD, `${CHILD}>call#0`);
      expect(world.row('a').status).toBe(status);
      for (const id of [CHILD, `${CHILD}>call#0`])
        expect(world.row(id)).toMatchObject({ status: 'cancelled', error: { code: 'parent_ended', step_id: null } });
      expect(world.clock.now() - world.row('a').startedAt).toBeLessThanOrEqual(600_000);
    },
  );

  it('does not cancel runs that it does not wait for', async () => {
    const { world } = await family([nap('n', '12m')], [call({ wait: false }), nap('w', '10m')]);
    await until(world.clock, () => world.row('a').waiting.length > 0);
    await world.send('a', { id: CANCEL, name: CANCEL });
    await ended(world, 'a');
    await until(world.clock, () => world.ended(CHILD));
    expect(world.row(CHILD).status).toBe('completed');
  });

  it('cancels a run whose start was in progress', async () => {
    const world = new World();
    world.workflows.set('other', world.plan([nap('n', '1d')]));
    const { host } = world.host();
    await host.start();
    const start = world.startChild;
    let go = (): void => {};
    const mayGo = new Promise<void>((resolve) => (go = resolve));
    world.startChild = async (...args) => {
      await mayGo;
      return start(...args);
    };
    const plan = world.plan([call()]);
    await host.begin(world.execution('a', plan), plan);
    await until(world.clock, () => world.entries('a').length > 0);
    await world.send('a', { id: CANCEL, name: CANCEL });
    await ended(world, 'a');
    expect(world.db.executions.has(CHILD)).toBe(false);
    go();
    await until(world.clock, () => world.db.executions.has(CHILD) && world.ended(CHILD));
    expect(world.row(CHILD).status).toBe('cancelled');
  });

  it('is not changed by the end of the child', async () => {
    const { world, connection } = await family([effect('e')], [call()]);
    let land = (): void => {};
    world.answers.set('e', () => new Promise((resolve) => (land = () => resolve({ kind: 'done', output: {} }))));
    await waitsForChild(world);
    // The cancellation of the child is delayed until it has ended.
    const release = connection.hold('post');
    void world.client.runs.addMessage('a', { id: CANCEL, name: CANCEL, data: {}, by: null, at: 0 }, world.clock.now());
    await ended(world, 'a');
    land();
    await ended(world, CHILD);
    release();
    await until(world.clock, () => world.row('a').outbox.length + world.row(CHILD).outbox.length === 0);
    expect([world.row('a').status, world.row(CHILD).status]).toEqual(['cancelled', 'completed']);
  });
});

describe('a start that arrives after the end of its parent', () => {
  it.each(['ended', 'removed'] as const)('has no effect when the parent has %s meanwhile', async (parent) => {
    const world = new World();
    const { host } = world.host();
    await host.start();
    const quick = world.plan([{ id: 's', type: 'set', config: { v: 1 } }]);
    await host.begin(world.execution('p', quick), quick);
    await until(world.clock, () => world.ended('p'));
    if (parent === 'removed') world.db.executions.delete('p');
    const work = world.plan([{ id: 'e', type: 'effect', config: {} }]);
    const late = { parent: { executionId: 'p', path: 'call', awaited: true }, depth: 1 };
    await host.begin(world.execution('late', work, {}, late), work);
    await until(world.clock, () => world.ended('late'));
    expect(world.row('late')).toMatchObject({ status: 'cancelled', error: { code: 'parent_ended' } });
    expect(world.outside.ran.size).toBe(0);
  });
});
