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

const heard = (world: World): string => world.said.map(({ text }) => text).join('');

describe('what a run says', () => {
  it('is what its last step says, and no other', async () => {
    const voices: boolean[] = [];
    const world = await play([step('a'), step('b')], (ctx) => {
      voices.push(ctx.voice !== null);
      ctx.voice?.say('Hello');
      return done;
    });
    expect(voices).toEqual([false, true]);
    expect(world.said).toMatchObject([{ stepId: 'b', at: 0, text: 'Hello' }]);
  });

  it('is nothing while nobody listens', async () => {
    const voices: unknown[] = [];
    await play(
      [step('a')],
      (ctx) => {
        voices.push(ctx.voice);
        return done;
      },
      false,
    );
    expect(voices).toEqual([null]);
  });

  it('is not said by the tools of a step', async () => {
    const voices: unknown[] = [];
    await play([step('a')], (ctx) => {
      voices.push(ctx.within('tool', {}).voice);
      return done;
    });
    expect(voices).toEqual([null]);
  });

  it('is another take in each attempt, and leaves nothing in the record', async () => {
    const world = await play([step('a', { retry: { max_attempts: 2, initial_interval: '1s' } })], (ctx) => {
      ctx.voice?.say(`attempt ${ctx.attempt}`);
      return ctx.attempt === 1 ? { kind: 'fail', error: { code: 'x', message: 'x' }, retryable: true } : done;
    });
    expect(world.said.map(({ text, at }) => [text, at])).toEqual([
      ['attempt 1', 0],
      ['attempt 2', 0],
    ]);
    expect(new Set(world.said.map(({ take }) => take)).size).toBe(2);
    expect(JSON.stringify(world.entries('a'))).not.toContain('attempt 1');
  });

  it('hides the secrets that the step was given, and all that comes after the attempt was given up', async () => {
    let late: NodeContext['voice'] = null;
    const world = new World();
    world.audience = true;
    world.secrets.set('KEY', 'sk-0123456789');
    world.more.set(
      'parts',
      talker(world, async (ctx) => {
        late = ctx.voice;
        ctx.voice?.say('It is sk-0123');
        ctx.voice?.say('456789.');
        await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve(), { once: true }));
        return done;
      }),
    );
    const { host } = world.host();
    await host.start();
    const plan = world.plan([step('a', { timeout: '5s', config: { parts: [], key: '{{ secret.KEY }}' } })]);
    await host.begin(world.execution('a', plan), plan);
    await until(world.clock, () => world.ended('a'));
    (late as NodeContext['voice'])?.say('too late');
    world.clock.advance(1_000);
    expect(heard(world)).toBe('It is ***.');
  });
});
