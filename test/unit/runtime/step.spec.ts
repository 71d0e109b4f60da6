import type { Json, JsonObject } from '../../../lib/json';
import { evaluationEnvironment } from '../../../runtime/core/state/run-context';
import type { StepView } from '../../../runtime/core/state/step-view';
import { until } from '../../support/manual-clock';
import { World } from '../../support/runtime/world';

const effect = (id: string, config: JsonObject = {}, more: JsonObject = {}): Json => ({
  id,
  type: 'effect',
  config,
  ...more,
});

async function run(steps: Json[], prepare: (world: World) => void = () => {}) {
  const world = new World();
  prepare(world);
  const { host } = world.host();
  await host.start();
  const plan = world.plan(steps);
  await host.begin(world.execution('a', plan, { n: 1 }), plan);
  await until(world.clock, () => world.ended('a'));
  return { world, row: world.row('a') };
}

describe('a step', () => {
  it('of a type that is not installed here fails', async () => {
    const { row } = await run([effect('e')], (world) => {
      const plan = world.plan.bind(world);
      world.plan = (steps, rest) => {
        const made = plan(steps, rest);
        const [step] = made.root.steps;
        if (step !== undefined) Object.assign(step.def, { type: 'gone' });
        return made;
      };
    });
    expect(row).toMatchObject({ status: 'failed', error: { code: 'unknown_type', step_id: 'e' } });
  });

  it('whose input does not match its schema fails with the path', async () => {
    const { row } = await run([{ id: 'w', type: 'wait', config: { for: '{{ trigger.n == 1 }}' } }]);
    expect(row.error).toMatchObject({ code: 'invalid_input', message: expect.stringContaining('for') });
  });

  it('whose configuration cannot be evaluated fails without an effect', async () => {
    const { row, world } = await run([effect('e', { v: '{{ trigger.no.such.thing }}' })]);
    expect(row.error?.code).toBe('expression');
    expect(world.outside.ran.size).toBe(0);
  });

  it('that uses a missing secret fails with its name', async () => {
    const { row } = await run([effect('e', { v: '{{ secret.NONE }}' })]);
    expect(row.error).toMatchObject({ code: 'expression', message: expect.stringContaining('NONE') });
  });

  it('never shows a secret in an error, in a wait or in a log', async () => {
    const { row, world } = await run(
      [
        effect('e', { v: '{{ secret.KEY }}' }, { on_error: 'continue' }),
        effect('w', { v: '{{ secret.KEY }}' }, { on_error: 'continue' }),
        { id: 'l', type: 'log', config: { message: 'with {{ secret.KEY }}', data: { k: '{{ secret.KEY }}' } } },
        { id: 's', type: 'stop', config: { error: 'with {{ secret.KEY }}' } },
      ],
      (made) => {
        made.secrets.set('KEY', 'hunter2-hunter2');
        made.answers.set('e', (_, input) => {
          throw new Error(`bad ${String(input.v)}`);
        });
        made.answers.set('w', (_, input) => ({
          kind: 'wait',
          wait: {
            kind: 'approval',
            message: String(input.v),
            approvers: [],
            form: { k: input.v as Json },
            until: 1,
            onTimeout: { kind: 'fail', error: { code: 'late', message: String(input.v) } },
          },
        }));
      },
    );
    expect(row.error).toMatchObject({ code: 'stopped', message: 'with ***' });
    const records = JSON.stringify([...world.db.journals.values(), row]);
    expect(records).not.toContain('hunter2');
    expect(records).toContain('bad ***');
  });
});

const viewOf = (outputs: JsonObject): StepView => ({
  steps: () => outputs,
  loop: () => undefined,
  error: () => undefined,
  addressOf: (id) => id,
});

describe('names in expressions', () => {
  it('are the documented roots only', () => {
    const world = new World();
    const plan = world.plan([effect('e')]);
    const facts = {
      id: 'run',
      workflowId: 'flow',
      startedAt: 0,
      deadlineAt: null,
      env: 'dev',
      trigger: { t: 1 },
      plan,
      vars: { v: 1 },
      stepLink: () => '',
    };
    const at = { now: 5, random: (bytes: number) => new Uint8Array(bytes) };
    const env = evaluationEnvironment(facts, viewOf({ a: {} }), 2, at, { KEY: 'v' });
    const root = (name: string) => env.root(name);
    expect(env.now).toBe(5);
    expect([root('trigger'), root('steps'), root('secret'), root('env'), root('vars')]).toEqual([
      { t: 1 },
      { a: {} },
      { KEY: 'v' },
      'dev',
      { v: 1 },
    ]);
    expect(root('execution')).toEqual({
      id: 'run',
      workflow_id: 'flow',
      started_at: '1970-01-01T00:00:00.000Z',
      attempt: 2,
    });
    expect([
      root('__proto__'),
      root('process'),
      evaluationEnvironment(facts, viewOf({}), 1, at).root('secret'),
    ]).toEqual([undefined, undefined, undefined]);
  });
});
