import type { Json, JsonObject } from '../../../lib/json';
import { nextDue } from '../../../runtime/core/decide/due';
import { CANCEL } from '../../../runtime/core/decide/waits';
import { NEVER_MS } from '../../../runtime/core/model';
import { settle, until } from '../../support/manual-clock';
import { bench, Bench, done, durable, failed, kinds, mail, step, T0 } from '../../support/runtime/bench';
import { World } from '../../support/runtime/world';

const retry = { max_attempts: 3, initial_interval: '10s', jitter: 0 };
const waits = (until: number, note?: string) =>
  ({
    kind: 'wait',
    wait: { kind: 'timer', until, output: { woken: true } },
    ...(note === undefined ? {} : { note }),
  }) as const;
const awaits = {
  kind: 'wait',
  wait: { kind: 'signal', signal: 'go', until: null, onTimeout: { kind: 'complete', output: {} } },
} as const;

describe('the rules of a paused run', () => {
  it('record the pause, and begin nothing', () => {
    const run = bench([step('a')]);
    expect(run.request('pause', 1)).toEqual([{ kind: 'run.paused', at: T0, rev: 1, by: 'ann', reason: null }]);
    expect(run.tell({ kind: 'resume' })).toEqual([]);
    expect(run.launched).toEqual([]);
    expect(kinds(run.request('resume', 2))).toEqual(['run.resumed']);
    expect(run.launched).toEqual([{ kind: 'run', path: 'a', attempt: 1 }]);
  });

  it('record what was in flight, and go on behind it when the run is resumed', () => {
    const run = bench([step('a'), step('b')]);
    run.tell({ kind: 'resume' });
    run.start('a');
    run.request('pause', 1);
    expect(kinds(run.settle('a', done({ v: 1 })))).toEqual(['step.completed']);
    expect(run.launched).toHaveLength(1);
    run.request('resume', 2);
    expect(run.launched.at(-1)).toEqual({ kind: 'run', path: 'b', attempt: 1 });
  });

  it('do not open a container, skip a step or end the run', () => {
    for (const next of [
      { id: 'f', type: 'foreach', config: { items: [1] }, steps: [step('x')] },
      step('s', { if: false }),
    ]) {
      const run = bench([step('a'), next]);
      run.tell({ kind: 'resume' });
      run.request('pause', 1);
      expect(kinds(run.settle('a', done()))).toEqual(['step.completed']);
    }
    const run = bench([step('a')]);
    run.tell({ kind: 'resume' });
    run.request('pause', 1);
    expect(kinds(run.settle('a', done()))).toEqual(['step.completed']);
    expect(kinds(run.request('resume', 2))).toEqual(['run.resumed', 'run.ended']);
  });

  it.each([
    ['a timer', waits(T0 + 5_000), null],
    ['a signal', awaits, mail('m', 'go', T0 + 1, { v: 1 })],
  ] as const)('keep the end of %s until the run is resumed', (_, wait, message) => {
    const run = bench([step('a'), step('b')]);
    run.tell({ kind: 'resume' });
    run.settle('a', wait);
    run.request('pause', 1);
    run.now = T0 + 60_000;
    expect(message === null ? run.tell({ kind: 'due' }) : run.send(message)).toEqual([]);
    expect(kinds(run.request('resume', 2))).toEqual(['run.resumed', 'step.completed']);
    expect(run.launched.at(-1)).toEqual({ kind: 'run', path: 'b', attempt: 1 });
  });

  it('keep a retry that falls due until the run is resumed', () => {
    const run = bench([step('a', { retry })]);
    run.tell({ kind: 'resume' });
    run.request('pause', 1);
    expect(run.settle('a', failed({ retryable: true }))).toMatchObject([{ retryAt: T0 + 10_000 }]);
    expect(nextDue(run.facts, run.state)).toBeNull();
    run.now = T0 + 60_000;
    run.tell({ kind: 'due' });
    expect(run.launched).toHaveLength(1);
    run.request('resume', 2);
    expect(run.launched.at(-1)).toEqual({ kind: 'run', path: 'a', attempt: 2 });
  });

  it('record the result of a sub-step, and run its step again when the run is resumed', () => {
    const run = bench([step('a')]);
    run.tell({ kind: 'resume' });
    run.start('a');
    run.request('pause', 1);
    run.settle('a', { kind: 'noted', note: 'part', end: { ok: true, output: {} } });
    expect(run.launched).toHaveLength(1);
    run.request('resume', 2);
    expect(run.launched.at(-1)).toEqual({ kind: 'run', path: 'a', attempt: 2 });
  });

  it('repeat an attempt that its host did not survive only when the run is resumed', () => {
    const run = bench([step('a')]);
    run.tell({ kind: 'resume' });
    run.start('a');
    run.request('pause', 1);
    const next = Bench.after(run, run.decisions.length);
    next.tell({ kind: 'resume' });
    expect(next.launched).toEqual([]);
    next.request('resume', 2);
    expect(next.launched).toEqual([{ kind: 'run', path: 'a', attempt: 2 }]);
  });

  it('do not recover an attempt that is still in flight when the run is resumed', () => {
    for (const policy of ['retry', 'fail', 'ask'] as const) {
      const run = bench([step('a')], {}, {}, policy);
      run.tell({ kind: 'resume' });
      run.start('a');
      run.request('pause', 1);
      expect(kinds(run.request('resume', 2))).toEqual(['run.resumed']);
      expect(run.launched).toHaveLength(1);
      run.settle('a', done());
      expect(run.state.ended).toMatchObject({ status: 'completed' });
    }
  });

  it('begin an attempt again that the pause held back', () => {
    const run = bench([step('a')]);
    run.tell({ kind: 'resume' });
    run.request('pause', 1);
    run.tell({ kind: 'held', path: 'a' });
    expect(run.state.inFlight.size).toBe(0);
    run.request('resume', 2);
    expect(run.launched.at(-1)).toEqual({ kind: 'run', path: 'a', attempt: 1 });
  });

  it('cancel a paused run, with its cleanup', () => {
    const run = bench([step('a', { compensate: [step('undo')] }), step('b')]);
    run.tell({ kind: 'resume' });
    run.settle('a', done());
    run.request('pause', 1);
    run.send(mail(CANCEL, CANCEL));
    expect(run.state.paused).toBeNull();
    expect(run.launched.at(-1)).toEqual({ kind: 'run', path: 'a/compensate/undo', attempt: 1 });
    run.settle('a/compensate/undo', done());
    expect(run.state.ended).toMatchObject({ status: 'cancelled' });
  });

  it('end a paused run at its deadline, and at nothing else', () => {
    const run = bench([step('a')], { timeout: '1h' });
    run.tell({ kind: 'resume' });
    run.settle('a', waits(T0 + 5_000));
    run.request('pause', 1);
    expect(nextDue(run.facts, run.state)).toBe(T0 + 3_600_000);
    run.pass();
    expect(run.state.ended).toMatchObject({ status: 'failed', error: { code: 'timed_out' } });
  });

  it('do not pause a run that cleans up', () => {
    const run = bench([step('a', { compensate: [step('undo')] }), step('b')]);
    run.tell({ kind: 'resume' });
    run.settle('a', done());
    run.settle('b', failed());
    expect(run.request('pause', 1)).toEqual([]);
    run.settle('a/compensate/undo', done());
    expect(run.state.ended).toMatchObject({ status: 'failed' });
  });

  it('follow the newest request, in whatever order requests are read, and record each once', () => {
    const run = bench([step('a')]);
    expect(kinds(run.request('pause', 3))).toEqual(['run.paused']);
    expect(run.request('resume', 2)).toEqual([]);
    expect(run.request('pause', 3)).toEqual([]);
    expect(kinds(run.request('pause', 5))).toEqual(['run.paused']);
    expect(kinds(run.request('resume', 6))).toEqual(['run.resumed']);
    expect(run.request('resume', 8)).toEqual([]);
  });

  it('give the same state to the next owner after each decision', () => {
    const run = bench([step('a', { retry }), step('b')]);
    run.tell({ kind: 'resume' });
    run.request('pause', 1);
    run.settle('a', failed({ retryable: true }));
    run.request('resume', 2);
    expect(durable(Bench.after(run, run.decisions.length).state)).toEqual(durable(run.state));
    expect(Bench.after(run, 1).state.paused).toMatchObject({ rev: 1 });
  });
});

const effect = (id: string, more: JsonObject = {}): Json => ({ id, type: 'effect', config: {}, ...more });
const nap: Json = { id: 'w', type: 'wait', config: { for: '10s' } };

/** A world with one started host, and a run `a` of these steps started on it. */
async function running(steps: Json[], prepare: (world: World) => void = () => {}) {
  const world = new World();
  prepare(world);
  const { host, connection } = world.host();
  await host.start();
  const plan = world.plan(steps);
  await host.begin(world.execution('a', plan), plan);
  return { world, host, connection };
}

const asleep = (world: World): Promise<void> => until(world.clock, () => world.row('a').owner === null);
const ended = (world: World): Promise<void> => until(world.clock, () => world.ended('a'));

describe('a host', () => {
  it('ends the step in flight of a paused run, and then keeps it neither in memory nor due', async () => {
    let finish = (): void => {};
    const { world, host } = await running([effect('e'), effect('f')], ({ answers }) =>
      answers.set('e', () => new Promise((resolve) => (finish = () => resolve({ kind: 'done', output: {} })))),
    );
    await settle();
    await world.request('a', 'pause', 'look first');
    await settle();
    expect(host.running).toBe(1);
    finish();
    await asleep(world);
    expect(host.running).toBe(0);
    expect(world.row('a')).toMatchObject({
      wakeAt: NEVER_MS,
      waiting: [],
      pause: { kind: 'pause', reason: 'look first' },
    });
    expect(kinds(world.entries('a'))).toEqual(['step.started', 'run.paused', 'step.completed']);
    await world.request('a', 'resume');
    await ended(world);
    expect(world.row('a').status).toBe('completed');
    expect(world.outside.ran).toEqual(
      new Map([
        ['e', 1],
        ['f', 1],
      ]),
    );
  });

  it('begins no attempt whose intent is not recorded before the pause', async () => {
    const { world, connection } = await running([effect('e', { config: { v: '{{ secret.S }}' } })], (w) => {
      w.secrets.set('S', 'value');
      let answer = (): void => {};
      const read = w.readSecrets;
      // Secrets are read before the intent.
      w.readSecrets = (names, n) => new Promise((resolve) => (answer = () => resolve(read(names, n))));
      w.onReady = () => answer();
    });
    await settle();
    await world.request('a', 'pause');
    await settle();
    world.onReady();
    await asleep(world);
    expect(kinds(world.entries('a'))).toEqual(['run.paused']);
    expect(world.outside.ran.size).toBe(0);
    world.readSecrets = async (names) => new Map(names.map((name) => [name, 'value']));
    await world.request('a', 'resume');
    await ended(world);
    expect(world.outside.ran).toEqual(new Map([['e', 1]]));
    expect(connection.dead).toBe(false);
  });

  it('that claims a run finds that it is paused before it begins anything', async () => {
    const { world, host } = await running([nap, effect('e')]);
    await asleep(world);
    const posted = await world.client.runs.requestPause(
      'a',
      { kind: 'pause', rev: 1, at: world.clock.now(), by: null, reason: null },
      world.clock.now(),
    );
    expect(posted).toMatchObject({ kind: 'posted', owner: null, due: { id: 'a' } });
    host.poke();
    await until(world.clock, () => kinds(world.entries('a')).includes('run.paused'));
    await asleep(world);
    await until(world.clock, () => world.clock.now() > world.row('a').startedAt + 60_000);
    expect(world.outside.ran.size).toBe(0);
    await world.request('a', 'resume');
    await ended(world);
    expect(world.outside.ran.size).toBe(1);
  });

  it('reads a pause whose hint was lost, at the latest when it would release the run', async () => {
    let finish = (): void => {};
    const { world } = await running([effect('e'), nap, effect('f')], ({ answers }) =>
      answers.set('e', () => new Promise((resolve) => (finish = () => resolve({ kind: 'done', output: {} })))),
    );
    await settle();
    await world.client.runs.requestPause(
      'a',
      { kind: 'pause', rev: 1, at: world.clock.now(), by: null, reason: null },
      world.clock.now(),
    );
    finish();
    await asleep(world);
    expect(kinds(world.entries('a')).at(-1)).toBe('run.paused');
  });

  it('keeps a signal and a decision that come during the pause, whichever host has the run then', async () => {
    const { world, connection } = await running([
      { id: 's', type: 'wait_for_signal', config: { signal: 'go' } },
      { id: 'ok', type: 'approval', config: { message: '?' } },
      effect('e', { config: { v: '{{ steps.s.v }}', ok: '{{ steps.ok.approved }}' } }),
    ]);
    await asleep(world);
    await world.request('a', 'pause');
    await world.send('a', { id: 'm', name: 'go', data: { v: 7 } });
    await world.send('a', { id: 'approve-ok', name: 'approve-ok', data: { approved: true } });
    connection.kill();
    const second = world.host();
    await second.host.start();
    await until(world.clock, () => world.row('a').owner === null && world.row('a').wakeAt === NEVER_MS);
    expect(world.outside.ran.size).toBe(0);
    await world.request('a', 'resume');
    await ended(world);
    expect(world.outside.seen).toMatchObject([{ input: { v: 7, ok: true } }]);
  });
});
