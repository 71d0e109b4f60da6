import type { Json, JsonObject } from '../../../lib/json';
import type { Outcome } from '../../../nodes/contract';
import { DependencyUnavailable } from '../../../runtime/execution/deps';
import { CANCEL } from '../../../runtime/core/decide/waits';
import { settle, until } from '../../support/manual-clock';
import { World } from '../../support/runtime/world';

const effect = (id: string, more: JsonObject = {}): Json => ({ id, type: 'effect', config: {}, ...more });
const never = (): Promise<never> => new Promise(() => {});
const unknown = (value: unknown): Outcome => value as Outcome;
const retrying = { retry: { max_attempts: 3, initial_interval: '10s', jitter: 0 } };

/** A world with one started host, and a run `a` of these steps started on it. */
async function running(
  steps: Json[],
  options: { rest?: JsonObject; prepare?: (world: World) => void; trigger?: JsonObject } = {},
) {
  const world = new World();
  options.prepare?.(world);
  const { host, connection } = world.host();
  await host.start();
  const plan = world.plan(steps, options.rest);
  await host.begin(world.execution('a', plan, options.trigger), plan);
  return { world, host, connection, plan };
}

const ended = (world: World): Promise<void> => until(world.clock, () => world.ended('a'));

describe('a cancellation', () => {
  it('interrupts a step in flight, and no other step starts', async () => {
    const { world } = await running([effect('e'), effect('f')], { prepare: (w) => w.answers.set('e', never) });
    await settle();
    await world.send('a', { id: CANCEL, name: CANCEL });
    await ended(world);
    expect(world.outside.aborted).toEqual(['e']);
    expect(world.row('a')).toMatchObject({ status: 'cancelled', output: null, error: null });
    expect(world.entries('a').map((entry) => entry.kind)).toEqual(['step.started', 'step.cancelled', 'run.ended']);
  });

  it('while an intent is being written to the journal prevents the effect', async () => {
    const world = new World();
    const { host, connection } = world.host();
    await host.start();
    const plan = world.plan([effect('e')]);
    const release = connection.hold('append');
    await host.begin(world.execution('a', plan), plan);
    await settle();
    await world.send('a', { id: CANCEL, name: CANCEL });
    release();
    await ended(world);
    expect(world.outside.ran.size).toBe(0);
    expect(world.row('a').status).toBe('cancelled');
    expect(world.entries('a').at(-1)?.kind).toBe('run.ended');
  });

  it('before the history is loaded is applied after it', async () => {
    const { world, connection } = await running([effect('e'), { id: 'w', type: 'wait', config: { for: '10s' } }]);
    await until(world.clock, () => world.row('a').owner === null);
    const release = connection.hold('journal');
    await until(world.clock, () => world.row('a').owner !== null);
    await world.send('a', { id: CANCEL, name: CANCEL });
    release();
    await settle();
    expect(world.row('a').status).toBe('cancelled');
    expect(world.outside.ran.get('e')).toBe(1);
    expect(world.entries('a').map((entry) => entry.kind)).toContain('step.cancelled');
  });

  it('wakes a run that waits without a limit, and one that waits for a retry', async () => {
    for (const step of [
      { id: 'x', type: 'approval', config: { message: '?' } },
      effect('x', { retry: { max_attempts: 2, initial_interval: '1d' } }),
    ]) {
      const fail: Outcome = { kind: 'fail', error: { code: 'c', message: 'm' }, retryable: true };
      const { world } = await running([step], { prepare: (w) => w.answers.set('x', () => fail) });
      await until(world.clock, () => world.row('a').owner === null);
      const before = world.clock.now();
      await world.send('a', { id: CANCEL, name: CANCEL });
      await ended(world);
      expect(world.clock.now()).toBe(before);
    }
  });
});

describe('a hint about a new message', () => {
  const cancel = { id: CANCEL, name: CANCEL, data: {}, by: null, at: 0 };

  it('interrupts a step in flight at once, without the message itself', async () => {
    const { world, host } = await running([effect('e')], { prepare: (w) => w.answers.set('e', never) });
    await settle();
    await world.client.runs.addMessage('a', cancel, world.clock.now());
    const before = world.clock.now();
    for (let n = 0; n < 3; n++) host.checkMessages('a');
    await settle(8);
    expect(world.row('a').status).toBe('cancelled');
    expect(world.outside.aborted).toEqual(['e']);
    expect(world.clock.now()).toBe(before);
  });

  it('is not lost while the history is read, or the run is released', async () => {
    for (const verb of ['journal', 'mail', 'release']) {
      const { world, host, connection } = await running([{ id: 'w', type: 'wait', config: { for: '10s' } }]);
      if (verb !== 'release') await until(world.clock, () => world.row('a').owner === null);
      const release = connection.hold(verb);
      await (verb === 'release' ? settle() : until(world.clock, () => world.row('a').owner !== null));
      await settle();
      await world.client.runs.addMessage('a', cancel, world.clock.now());
      host.checkMessages('a');
      await settle();
      const before = world.clock.now();
      release();
      await settle(12);
      host.poke();
      await settle(12);
      expect([verb, world.row('a').status, world.clock.now()]).toEqual([verb, 'cancelled', before]);
    }
  });
});

describe('a message to an unowned run', () => {
  it('is applied before a timeout that is due meanwhile, though the next host is stopped while it reads', async () => {
    const wait = { signal: 'go', timeout: '5s' };
    const { world, host } = await running([{ id: 's', type: 'wait_for_signal', config: wait }]);
    await until(world.clock, () => world.row('a').owner === null);
    await host.stop(0);
    await world.client.runs.addMessage(
      'a',
      { id: 'm', name: 'go', data: { v: 1 }, by: null, at: world.clock.now() },
      world.clock.now(),
    );
    world.clock.advance(10_000);
    const second = world.host();
    const read = second.connection.hold('journal');
    await second.host.start();
    await settle(12);
    const stopped = second.host.stop(1_000);
    read();
    await stopped;
    await world.host().host.start();
    await ended(world);
    expect(world.row('a')).toMatchObject({ status: 'completed', output: { v: 1 } });
  });
});

describe('a deadline', () => {
  const rest = { timeout: '30s' };

  it.each([
    ['in flight', [effect('e')], (world: World) => void world.answers.set('e', never)],
    ['waiting', [{ id: 'e', type: 'approval', config: { message: '?' } }], () => {}],
    [
      'retrying',
      [effect('e', { retry: { max_attempts: 9, initial_interval: '1h' } })],
      (world: World) =>
        void world.answers.set('e', () => ({ kind: 'fail', error: { code: 'c', message: 'm' }, retryable: true })),
    ],
  ] as [string, Json[], (world: World) => void][])('ends a run whose step is %s', async (_, steps, prepare) => {
    const { world } = await running(steps, { rest, prepare });
    const began = world.clock.now();
    await ended(world);
    expect(world.row('a')).toMatchObject({ status: 'failed', error: { code: 'timed_out', step_id: null } });
    expect(world.clock.now() - began).toBe(30_000);
    expect(world.entries('a').at(-2)).toMatchObject({ kind: 'step.cancelled', path: 'e' });
  });
});

describe('a node type that misbehaves', () => {
  const circular: JsonObject = {};
  circular.self = circular;
  let deep: Json = 1;
  for (let n = 0; n < 200_000; n++) deep = [deep];

  it.each([
    [
      'throws',
      () => {
        throw new Error('boom');
      },
      'node_error',
    ],
    ['rejects with no error', () => Promise.reject('text'), 'node_error'],
    ['answers nothing', () => unknown(undefined), 'invalid_outcome'],
    ['answers of a kind that is unknown', () => unknown({ kind: 'odd' }), 'invalid_outcome'],
    ['puts out no object', () => unknown({ kind: 'done', output: 7 }), 'invalid_outcome'],
    ['puts out a cycle', () => unknown({ kind: 'done', output: circular }), 'invalid_outcome'],
    ['puts out a bigint', () => unknown({ kind: 'done', output: { v: 1n } }), 'invalid_outcome'],
    ['puts out what is nested too deep', () => unknown({ kind: 'done', output: { deep } }), 'invalid_outcome'],
    ['fails without an error', () => unknown({ kind: 'fail', retryable: false }), 'invalid_outcome'],
    [
      'waits without an end of time',
      () => unknown({ kind: 'wait', wait: { kind: 'timer', until: Number.NaN, output: {} } }),
      'invalid_outcome',
    ],
    [
      'waits for something unknown',
      () => unknown({ kind: 'wait', wait: { kind: 'rain', until: null } }),
      'invalid_outcome',
    ],
    [
      'asks a question that fits into no record',
      () =>
        unknown({
          kind: 'wait',
          wait: {
            kind: 'approval',
            message: 'x'.repeat(3e5),
            approvers: [],
            form: null,
            until: null,
            onTimeout: { kind: 'complete', output: {} },
          },
        }),
      'invalid_outcome',
    ],
  ] as [string, () => Outcome | Promise<Outcome>, string][])('that %s fails its step', async (_, answer, code) => {
    const { world } = await running([effect('e')], { prepare: (w) => w.answers.set('e', answer) });
    await ended(world);
    expect(world.row('a')).toMatchObject({ status: 'failed', error: { code, step_id: 'e' } });
  });

  it('with an output that JSON changes is recorded as JSON', async () => {
    const odd = { at: new Date(0), not: undefined, nan: Number.NaN, list: [undefined], __proto__: null };
    const { world } = await running([effect('e'), effect('f', { config: { v: '{{ steps.e }}' } })], {
      prepare: (w) => w.answers.set('e', () => unknown({ kind: 'done', output: odd })),
    });
    await ended(world);
    expect(world.outside.seen.at(-1)?.input).toEqual({
      v: { at: '1970-01-01T00:00:00.000Z', nan: null, list: [null] },
    });
  });

  it('that never settles is aborted at its timeout, and retried', async () => {
    const { world } = await running([effect('e', { timeout: '5s', ...retrying })], {
      prepare: (w) => w.answers.set('e', (n) => (n === 1 ? never() : { kind: 'done', output: { n } })),
    });
    await ended(world);
    expect(world.outside.aborted).toEqual(['e']);
    expect(world.row('a')).toMatchObject({ status: 'completed', output: { n: 2 } });
  });

  it('that asks to resume in a million years waits for a hundred', async () => {
    const fail: Outcome = { kind: 'fail', error: { code: 'c', message: 'm' }, retryable: true, retryAfterMs: 1e300 };
    const { world } = await running([effect('e', retrying)], { prepare: (w) => w.answers.set('e', () => fail) });
    await until(world.clock, () => world.row('a').owner === null);
    const [waiting] = world.row('a').waiting;
    expect(new Date(waiting?.until ?? Number.NaN).getUTCFullYear()).toBe(2125);
  });

  it('with a very long error message is recorded with a part of it', async () => {
    const fail: Outcome = { kind: 'fail', error: { code: 'c', message: 'x'.repeat(1e6) }, retryable: false };
    const { world } = await running([effect('e')], { prepare: (w) => w.answers.set('e', () => fail) });
    await ended(world);
    expect(world.row('a').error?.message.length).toBeLessThan(10_000);
  });

  it('that waits until a time in the past continues at once', async () => {
    const wait: Outcome = { kind: 'wait', wait: { kind: 'timer', until: 5, output: { late: true } } };
    const { world } = await running([effect('e')], { prepare: (w) => w.answers.set('e', () => wait) });
    const before = world.clock.now();
    await ended(world);
    expect(world.row('a').output).toEqual({ late: true });
    expect(world.clock.now()).toBe(before);
  });
});

describe('a retry', () => {
  it('that is due after a restart of its host comes at its time', async () => {
    const fail: Outcome = { kind: 'fail', error: { code: 'c', message: 'm' }, retryable: true };
    const { world, connection } = await running(
      [effect('e', { retry: { max_attempts: 3, initial_interval: '10m', backoff: 'fixed', jitter: 0 } })],
      { prepare: (w) => w.answers.set('e', (n) => (n === 1 ? fail : { kind: 'done', output: {} })) },
    );
    const began = world.clock.now();
    await until(world.clock, () => world.row('a').owner === null);
    expect(world.row('a').waiting).toMatchObject([{ step_id: 'e', kind: 'retry', until: began + 600_000 }]);
    connection.kill();
    await world.host().host.start();
    await ended(world);
    expect(world.clock.now()).toBe(began + 600_000);
    expect(world.outside.ran.get('e')).toBe(2);
  });
});

describe('an interrupted effect', () => {
  /** The host dies while the effect is in flight; another one continues. */
  async function interrupted(type: string, times = 1) {
    const world = new World();
    const plan = world.plan([{ id: 'e', type, config: {} }]);
    world.answers.set('e', (n) => (n <= times ? never() : { kind: 'done', output: { n } }));
    const first = world.host();
    await first.host.start();
    await first.host.begin(world.execution('a', plan), plan);
    await settle();
    first.connection.kill();
    await world.host().host.start();
    return world;
  }

  it('is run again if its type allows it', async () => {
    const world = await interrupted('effect');
    await ended(world);
    expect(world.row('a').output).toEqual({ n: 2 });
    expect(new Set(world.outside.seen.map(({ key }) => key)).size).toBe(1);
  });

  it('fails where it must not be run twice', async () => {
    const world = await interrupted('effect_once');
    await ended(world);
    expect(world.row('a')).toMatchObject({ status: 'failed', error: { code: 'interrupted' } });
    expect(world.outside.ran.get('e')).toBe(1);
  });

  it('asks each time again, and ignores earlier approvals', async () => {
    const world = await interrupted('effect_ask', 2);
    await world.send('a', { id: 'early', name: 'approve-e', data: { approved: true }, by: 'eve' });
    await until(world.clock, () => world.row('a').waiting.length > 0);
    const [first] = world.row('a').waiting;
    expect(first).toMatchObject({ step_id: 'e', kind: 'approval' });
    await world.send('a', { id: first?.name as string, name: first?.name as string, data: { approved: true } });
    await until(world.clock, () => world.outside.ran.get('e') === 2);
    for (const { connection } of world.hosts) connection.kill();
    await world.host().host.start();
    await until(world.clock, () => world.row('a').waiting.length > 0);
    const [second] = world.row('a').waiting;
    expect(second?.name).not.toBe(first?.name);
    await world.send('a', { id: second?.name as string, name: second?.name as string, data: { approved: true } });
    await ended(world);
    expect(world.row('a')).toMatchObject({ status: 'completed', output: { n: 3 } });
  });

  it('that a person refuses to run again fails', async () => {
    const world = await interrupted('effect_ask');
    await until(world.clock, () => world.row('a').waiting.length > 0);
    const name = world.row('a').waiting[0]?.name as string;
    await world.send('a', { id: name, name, data: { approved: false } });
    await ended(world);
    expect(world.row('a')).toMatchObject({ status: 'failed', error: { code: 'interrupted', step_id: 'e' } });
  });
});

describe('a host that cannot read secrets', () => {
  it('leaves the run to a host that can, without an effect of its step', async () => {
    const world = new World();
    world.secrets.set('KEY', 'a-secret-value');
    const read = world.readSecrets;
    world.readSecrets = (names, host) =>
      host === 1 ? Promise.reject(new DependencyUnavailable('The vault is out of reach')) : read(names, host);
    const [first, second] = [world.host(null, { capacity: 1 }), world.host()];
    await first.host.start();
    const plan = world.plan([effect('e', { config: { key: '{{ secret.KEY }}' } })]);
    await first.host.begin(world.execution('a', plan), plan);
    await settle();
    expect(world.row('a')).toMatchObject({ status: 'running', owner: null });
    await second.host.start();
    await ended(world);
    expect(world.row('a').status).toBe('completed');
    expect(world.outside.ran.get('e')).toBe(1);
  });
});

describe('a stop with an error', () => {
  const stop = { id: 's', type: 'stop', config: { error: { message: 'enough', code: 'done' } }, on_error: 'continue' };

  it('ends the run as failed, with any on_error', async () => {
    const { world } = await running([stop, effect('f')]);
    await ended(world);
    expect(world.row('a')).toMatchObject({
      status: 'failed',
      error: { code: 'done', message: 'enough', step_id: 's' },
    });
    expect(world.outside.ran.size).toBe(0);
    expect(world.entries('a').map((entry) => entry.kind)).toEqual(['step.failed', 'run.ended']);
  });
});

describe('a message for a step that does not exist', () => {
  it('is kept, and does not block the run', async () => {
    const { world } = await running([{ id: 'w', type: 'wait', config: { for: '1m' } }]);
    for (let n = 0; n < 5; n++) await world.send('a', { id: `m${n}`, name: 'approve-unknown' });
    await until(world.clock, () => world.row('a').owner === null && world.row('a').waiting.length > 0);
    expect(world.row('a').wakeAt).toBeGreaterThan(world.clock.now());
    await ended(world);
    expect(world.row('a').status).toBe('completed');
  });
});

describe('values of any size', () => {
  it('go through the journal while the store is slow, in records that a document can hold', async () => {
    const world = new World();
    const { host, connection } = world.host();
    await host.start();
    const steps = Array.from({ length: 120 }, (_, n) => ({
      id: `s${n}`,
      type: 'set',
      config: { t: '{{ pad("x", 60000, "y") }}' },
    }));
    const plan = world.plan(steps, { output: { n: 1 } });
    const release = connection.hold('append');
    await host.begin(world.execution('a', plan), plan);
    await settle(50);
    release();
    await ended(world);
    const sizes = [...(world.db.journals.get('a') ?? [])].map((record) => record.json.length);
    expect(Math.max(...sizes)).toBeLessThan(4 * 1024 * 1024);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeGreaterThan(120 * 120_000 * 0.9);
  });

  it('of 20 MiB leave the journal and come back after a crash', async () => {
    const text = 'ä'.repeat(10 * 1024 * 1024);
    const { world, connection } = await running([effect('e'), { id: 'w', type: 'wait', config: { for: '10s' } }], {
      prepare: (w) => w.answers.set('e', () => ({ kind: 'done', output: { text, size: text.length } })),
      rest: { output: '{{ steps.e.size }}' },
    });
    await until(world.clock, () => world.row('a').owner === null);
    connection.kill();
    await world.host().host.start();
    await ended(world);
    expect(world.row('a').error ?? world.row('a').output).toBe(text.length);
    expect(JSON.stringify(world.db.journals.get('a')).length).toBeLessThan(10_000);
  });
});

describe('a retried run', () => {
  it('reuses hundreds of big outputs in one record, and repeats no effect, for a crash at any point', async () => {
    const steps = Array.from({ length: 60 }, (_, n) => effect(`e${n}`));
    const { world, host, plan } = await running([...steps, effect('last')], {
      prepare: (w) => {
        for (let n = 0; n < 60; n++)
          w.answers.set(`e${n}`, () => ({ kind: 'done', output: { t: 'x'.repeat(100_000) } }));
        w.answers.set('last', (n) =>
          n === 1
            ? { kind: 'fail', error: { code: 'c', message: 'm' }, retryable: false }
            : { kind: 'done', output: {} },
        );
      },
    });
    await ended(world);
    expect(world.row('a').status).toBe('failed');
    const preload = { executionId: 'a', fromStep: null };
    await host.begin(world.execution('b', plan, {}, { resumeFrom: preload, retryOf: 'a' }), plan);
    await until(world.clock, () => world.ended('b'));
    expect(world.row('b').status).toBe('completed');
    expect([...world.outside.ran.values()].filter((times) => times > 1)).toEqual([2]);
    expect((world.db.journals.get('b') ?? [])[0]?.json.length).toBeLessThan(100_000);
  });
});

describe('a run whose history grows too large', () => {
  const TEN_MIB = 10 * 1024 * 1024;
  const large = Array.from({ length: 20 }, (_, index) => effect(`s${index}`));
  const putsOutTenMib = (world: World): void => {
    for (let index = 0; index < large.length; index++)
      world.answers.set(`s${index}`, () => ({ kind: 'done', output: { data: 'x'.repeat(TEN_MIB) } }));
  };

  it('fails instead of filling the memory of its host', async () => {
    const { world } = await running(large, { prepare: putsOutTenMib });
    await ended(world);
    expect(world.row('a')).toMatchObject({ status: 'failed', error: { code: 'run_too_large', step_id: null } });
    expect(world.outside.ran.size).toBe(7);
  });

  it('accepts outputs that fit', async () => {
    const { world } = await running(large.slice(0, 6), { prepare: putsOutTenMib });
    await ended(world);
    expect(world.row('a').status).toBe('completed');
  });
});
