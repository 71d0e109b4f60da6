import type { Json, JsonObject } from '../../../lib/json';
import type { NodeContext, NodeType, Outcome } from '../../../nodes/contract';
import { until } from '../../support/manual-clock';
import { partsNode } from '../../support/runtime/parts';
import { World } from '../../support/runtime/world';

/** A step that does this. */
const talker = (world: World, run: (ctx: NodeContext) => Promise<Outcome> | Outcome): NodeType => ({
  ...partsNode(world),
  run,
});
const step = (id: string, more: JsonObject = {}): Json => ({ id, type: 'parts', config: { parts: [] }, ...more });
const done: Outcome = { kind: 'done', output: {} };

async function play(steps: Json[], run: (ctx: NodeContext) => Promise<Outcome> | Outcome, audience = true) {
  const world = new World();
  world.audience = audience;
  world.more.set('parts', talker(world, run));
  const { host } = world.host();
  await host.start();
  const plan = world.plan(steps);
  await host.begin(world.execution('a', plan), plan);
  await until(world.clock, () => world.ended('a'));
  return world;
}

const receivedText = (world: World): string => world.chunks.map(({ text }) => text).join('');

describe('the output stream of a run', () => {
  it('is written by its last step only', async () => {
    const streams: boolean[] = [];
    const world = await play([step('a'), step('b')], (ctx) => {
      streams.push(ctx.stream !== null);
      ctx.stream?.write('Hello');
      return done;
    });
    expect(streams).toEqual([false, true]);
    expect(world.chunks).toMatchObject([{ stepId: 'b', offset: 0, text: 'Hello' }]);
  });

  it('is null without subscribers', async () => {
    const streams: unknown[] = [];
    await play(
      [step('a')],
      (ctx) => {
        streams.push(ctx.stream);
        return done;
      },
      false,
    );
    expect(streams).toEqual([null]);
  });

  it('is not written by the tools of a step', async () => {
    const streams: unknown[] = [];
    await play([step('a')], (ctx) => {
      streams.push(ctx.within('tool', {}).stream);
      return done;
    });
    expect(streams).toEqual([null]);
  });

  it('is a new stream in each attempt, and is not recorded', async () => {
    const world = await play([step('a', { retry: { max_attempts: 2, initial_interval: '1s' } })], (ctx) => {
      ctx.stream?.write(`attempt ${ctx.attempt}`);
      return ctx.attempt === 1 ? { kind: 'fail', error: { code: 'x', message: 'x' }, retryable: true } : done;
    });
    expect(world.chunks.map(({ text, offset: at }) => [text, at])).toEqual([
      ['attempt 1', 0],
      ['attempt 2', 0],
    ]);
    expect(new Set(world.chunks.map(({ streamId: take }) => take)).size).toBe(2);
    expect(JSON.stringify(world.entries('a'))).not.toContain('attempt 1');
  });

  it('redacts the secrets of the step, and drops chunks after the abort of the attempt', async () => {
    let late: NodeContext['stream'] = null;
    const world = new World();
    world.audience = true;
    world.secrets.set('KEY', 'sk-0123456789');
    world.more.set(
      'parts',
      talker(world, async (ctx) => {
        late = ctx.stream;
        ctx.stream?.write('It is sk-0123');
        ctx.stream?.write('456789.');
        await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve(), { once: true }));
        return done;
      }),
    );
    const { host } = world.host();
    await host.start();
    const plan = world.plan([step('a', { timeout: '5s', config: { parts: [], key: '{{ secret.KEY }}' } })]);
    await host.begin(world.execution('a', plan), plan);
    await until(world.clock, () => world.ended('a'));
    (late as NodeContext['stream'])?.write('too late');
    world.clock.advance(1_000);
    expect(receivedText(world)).toBe('It is ***.');
  });
});
