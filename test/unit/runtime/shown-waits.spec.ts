import type { Execution } from '../../../runtime/core/model';
import { ShownWaits } from '../../../runtime/execution/shown-waits';
import type { RunStore } from '../../../runtime/ports/run-store';
import { ManualClock } from '../../support/manual-clock';
import { bench, step } from '../../support/runtime/bench';

/** A run with an approval, and a branch that is at work. `fails`: how many stores fail. */
function busyRun(fails = 0) {
  const branch = (id: string) => ({ id: `b_${id}`, steps: [step(id)] });
  const run = bench([{ id: 'both', type: 'parallel', branches: [branch('ok'), branch('slow')] }]);
  run.tell({ kind: 'resume' });
  const asked = [...run.flights.keys()].find((path) => path.endsWith('/ok')) as string;
  run.settle(asked, {
    kind: 'wait',
    wait: {
      kind: 'approval',
      message: 'Go?',
      approvers: [],
      form: null,
      until: null,
      onTimeout: { kind: 'complete', output: {} },
    },
  });
  const clock = new ManualClock();
  const began = clock.now();
  const stores: number[] = [];
  const faults: unknown[] = [];
  const announced: (string | null)[][] = [];
  let left = fails;
  const store: Pick<RunStore, 'showWaits'> = {
    showWaits: async () => {
      stores.push(clock.now() - began);
      if (left-- > 0) throw new Error('no answer');
      return true;
    },
  };
  const shown = new ShownWaits(
    { clock, store: store as RunStore, onWaits: (_, waiting) => announced.push(waiting.map(({ step_id }) => step_id)) },
    { id: 'run', owner: 'host', epoch: 1 } as Execution,
    { state: () => run.state, durable: async () => {}, onFault: (fault) => faults.push(fault) },
  );
  const fire = async (): Promise<boolean> => {
    const fired = clock.step();
    await new Promise(setImmediate);
    return fired;
  };
  return { shown, fire, stores, faults, announced };
}

it('stores and announces questions once', async () => {
  const { shown, fire, stores, announced } = busyRun();
  shown.check();
  shown.check();
  expect(await fire()).toBe(true);
  shown.check();
  expect(await fire()).toBe(false);
  expect([stores, announced]).toEqual([[250], [['ok']]]);
});

it('repeats a failed store after five seconds, and reports each', async () => {
  const { shown, fire, stores, faults, announced } = busyRun(2);
  shown.check();
  for (let n = 0; n < 3; n++) await fire();
  expect(stores).toEqual([250, 5_250, 10_250]);
  expect([faults.length, announced]).toEqual([2, [['ok']]]);
});

it('stores nothing once the run has left memory', async () => {
  const { shown, fire, stores } = busyRun(1);
  shown.check();
  await fire();
  shown.stop();
  shown.check();
  expect(await fire()).toBe(false);
  expect(stores).toEqual([250]);
});
