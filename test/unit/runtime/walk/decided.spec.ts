import type { Json } from '../../../../lib/json';
import { type Bench, bench, done, failed, step, kindsAndPaths } from '../../../support/runtime/bench';

const guarded = (id: string): Json => ({ id, type: 'try', steps: [step(`${id}_s`)], finally: [step(`${id}_f`)] });
const begun = (steps: Json[]): Bench => {
  const run = bench(steps);
  run.tell({ kind: 'resume' });
  return run;
};

describe('while a finally runs after the outcome is decided', () => {
  it('no cancelled branch continues', () => {
    const slow: Json = {
      id: 'each',
      type: 'foreach',
      config: { items: [1, 2] },
      steps: [guarded('t')],
    };
    const run = begun([
      {
        id: 'p',
        type: 'parallel',
        wait: 'any',
        branches: [
          { id: 'a', steps: [step('fast')] },
          { id: 'b', steps: [slow] },
        ],
      },
    ]);
    run.settle('p/branches.1/each/steps[0]/t/steps/t_s', done());
    run.settle('p/branches.0/fast', done());
    expect([...run.flights.keys()]).toEqual(['p/branches.1/each/steps[0]/t/finally/t_f']);
    expect(kindsAndPaths(run.settle('p/branches.1/each/steps[0]/t/finally/t_f', done()))).toEqual([
      'completed p/branches.1/each/steps[0]/t/finally/t_f',
      'cancelled p/branches.1/each/steps[0]/t',
      'cancelled p/branches.1/each',
      'completed p',
      'ended',
    ]);
  });

  it('no item continues when another has failed', () => {
    const run = begun([
      {
        id: 'each',
        type: 'foreach',
        config: { items: [1, 2], concurrency: 2 },
        steps: [guarded('t'), step('after', { if: '{{ loop.index == 0 }}' })],
      },
    ]);
    run.settle('each/steps[0]/t/steps/t_s', done());
    run.settle('each/steps[1]/t/steps/t_s', failed());
    run.settle('each/steps[1]/t/finally/t_f', done());
    expect([...run.flights.keys()]).toEqual(['each/steps[0]/t/finally/t_f']);
    expect(kindsAndPaths(run.settle('each/steps[0]/t/finally/t_f', done()))).toEqual([
      'completed each/steps[0]/t/finally/t_f',
      'cancelled each/steps[0]/t',
      'failed each',
      'ended',
    ]);
  });
});
