import type { Json } from '../../../../lib/json';
import { Bench, bench, done, step } from '../../../support/runtime/bench';

const loop = (id: string, items: number, steps: Json[]): Json => ({
  id,
  type: 'foreach',
  config: { items: Array.from({ length: items }, (_, index) => index), concurrency: 100 },
  steps,
});

const begun = (outer: number, inner: number): Bench => {
  const run = bench([loop('outer', outer, [loop('inner', inner, [step('a')])])]);
  run.tell({ kind: 'resume' });
  return run;
};

describe('nested loops', () => {
  it('have about two hundred steps in flight at once, not the product of their limits', () => {
    const run = begun(100, 100);
    expect(run.flights.size).toBeGreaterThan(150);
    expect(run.flights.size).toBeLessThan(300);
  });

  it('start further items as others end, and complete them all', () => {
    const run = begun(8, 100);
    let max = 0;
    for (let [next] = run.flights; next !== undefined; [next] = run.flights) {
      run.settle(next[0], done({ at: next[0] }));
      max = Math.max(max, run.flights.size);
    }
    expect(max).toBeLessThan(300);
    expect(run.state.ended?.status).toBe('completed');
    expect(run.entries.filter(({ kind }) => kind === 'loop.item')).toHaveLength(8 * 101);
  });

  it('continue every started item when another host takes the run over', () => {
    const run = begun(6, 100);
    for (const path of [...run.flights.keys()]) run.start(path);
    const under = [...run.state.open].filter((path) => path.endsWith('/a'));
    run.settle(under[0] as string, done());
    const next = Bench.after(run, run.decisions.length);
    next.tell({ kind: 'resume' });
    const taken = [...next.flights.keys()];
    expect(under.slice(1).filter((path) => !taken.includes(path))).toEqual([]);
    for (const path of under.slice(1)) next.settle(path, done());
    const kept = next.entries.filter((entry) => entry.kind === 'loop.item' && entry.path.startsWith('outer/steps[1]/'));
    expect(kept.length).toBeGreaterThan(0);
    next.drive();
    expect(next.state.ended?.status).toBe('completed');
  });
});
