import type { Compute } from '../../../lib/compute';
import { ComputeError } from '../../../lib/compute';
import type { Json, JsonObject } from '../../../lib/json';
import { inlineCompute } from '../../support/inline-compute';
import { until } from '../../support/manual-clock';
import { noCapabilities } from '../../support/runtime/no-capabilities';
import { World } from '../../support/runtime/world';

let patterns = 0;

/** Takes longer than a decision may: a large pattern that is not compiled yet. */
const long = (holds: boolean): string =>
  `match("${'a'.repeat(40)}${holds ? 'b' : ''}", "${'a{0,1000}'.repeat(4)}(b|z${patterns++})")`;
const wait = (id: string, more: JsonObject = {}): JsonObject => ({ id, type: 'wait', config: { for: '0s' }, ...more });

/** Runs the steps to their end; how many templates went to a thread, and what became of the run. */
async function run(steps: Json[], rest: JsonObject = {}, first: (calls: number) => void = () => undefined) {
  const world = new World();
  let calls = 0;
  const compute: Compute = {
    run: async (task, input) => {
      calls += 1;
      first(calls);
      return inlineCompute.run(task, input);
    },
  };
  world.means = { ...noCapabilities(), compute };
  const { host } = world.host();
  await host.start();
  const plan = world.plan(steps, rest);
  await host.begin(world.execution('a', plan), plan);
  await until(world.clock, () => world.ended('a'));
  await host.stop(0);
  const { status, output, error } = world.row('a');
  const kinds = world.entries('a').map((entry) => ('path' in entry ? `${entry.kind} ${entry.path}` : entry.kind));
  return { calls, status, output, error, kinds };
}

describe('a decision with a slow evaluation', () => {
  it('waits for the condition of a step', async () => {
    const done = await run([wait('yes', { if: `{{ ${long(true)} }}` }), wait('no', { if: `{{ ${long(false)} }}` })]);
    expect(done).toMatchObject({ calls: 2, status: 'completed' });
    expect(done.kinds).toEqual(['step.completed yes', 'step.skipped no', 'run.ended']);
  });

  it('waits for the cases of a branch, each once', async () => {
    const cases = [
      { when: `{{ ${long(false)} }}`, steps: [wait('one')] },
      { when: `{{ ${long(true)} }}`, steps: [wait('two')] },
    ];
    const done = await run([{ id: 'b', type: 'branch', config: {}, cases }]);
    expect(done).toMatchObject({ calls: 2, status: 'completed' });
    expect(done.kinds).toContain('step.completed b/cases.1/two');
  });

  it('waits for the items of a loop, the condition of another, and the output of the run', async () => {
    const items = { items: `{{ ${long(true)} ? [1, 2] : [] }}` };
    const condition = { condition: `{{ ${long(true)} && loop.index < 1 }}`, max_iterations: 3 };
    const done = await run(
      [
        { id: 'f', type: 'foreach', config: items, steps: [wait('each')] },
        { id: 'w', type: 'while', config: condition, steps: [wait('turn')] },
      ],
      { output: { found: `{{ ${long(true)} }}`, turns: '{{ steps.w.iterations }}' } },
    );
    expect(done).toMatchObject({ status: 'completed', output: { found: true, turns: 1 } });
    // The condition of the loop is short once its pattern is compiled.
    expect(done.calls).toBe(3);
  });

  it('fails the step when the evaluation fails', async () => {
    const done = await run([wait('a', { if: `{{ ${long(true)} && steps.a.b }}` })], {}, () => {
      throw new ComputeError('timed_out', 'The computation took longer than 5 s');
    });
    expect(done).toMatchObject({ calls: 1, status: 'failed' });
    expect(JSON.stringify(done.error)).toContain('The computation took longer than 5 s');
  });

  it('retries when no thread accepted it', async () => {
    const done = await run([wait('a', { if: `{{ ${long(true)} }}` })], {}, (calls) => {
      if (calls < 3) throw new ComputeError('overloaded', 'Too many computations are queued');
    });
    expect(done).toMatchObject({ calls: 3, status: 'completed' });
  });
});
