import { inItem, loopItems, loopText, loopTrail, parentOf, planPath } from '../../../console/src/model/loop-path';

describe('the path of a loop', () => {
  it('leads from the outermost loop to the loop itself', () => {
    expect(loopTrail('each')).toEqual([{ path: 'each', label: 'each' }]);
    expect(loopTrail('each/steps[17]/poll/steps.3/inner')).toEqual([
      { path: 'each', label: 'each' },
      { path: 'each/steps[17]/poll', label: 'poll of item 17' },
      { path: 'each/steps[17]/poll/steps.3/inner', label: 'inner of item 3' },
    ]);
    expect(loopTrail('both/branches.left/each')).toEqual([{ path: 'both/branches.left/each', label: 'each' }]);
  });

  it('has the list around it as its parent', () => {
    expect(parentOf('each')).toBeUndefined();
    expect(parentOf('each/steps[17]/poll')).toBe('each/steps[17]');
  });
});

describe('the path of a step in loops', () => {
  const path = 'each/steps[17]/poll/steps.3/check/on_error/tell';

  it('has its path in the document', () => {
    expect(planPath(path)).toBe('each/steps/poll/steps/check/on_error/tell');
    expect(planPath('big/cases.0/ask')).toBe('big/cases.0/ask');
    expect(planPath('guard/steps/risk')).toBe('guard/steps/risk');
  });

  it('names the loops, and leads to the same step in another item of each', () => {
    const [outer, inner] = loopItems(path);
    expect(outer).toEqual({ loop: 'each', id: 'each', kind: 'item', index: 17 });
    expect(inner).toEqual({ loop: 'each/steps[17]/poll', id: 'poll', kind: 'iteration', index: 3 });
    expect(outer && inItem(path, outer, 18)).toBe('each/steps[18]/poll/steps.3/check/on_error/tell');
    expect(inner && inItem(path, inner, 0)).toBe('each/steps[17]/poll/steps.0/check/on_error/tell');
    expect(loopItems('guard/steps/risk')).toEqual([]);
  });
});

it('the progress of a loop names items that have failed', () => {
  expect(loopText({ total: 1_200, begun: 40, ended: 30, steps: { completed: 30 } })).toBe('30 of 1,200 items');
  expect(loopText({ total: 3, begun: 3, ended: 3, steps: { failed: 2 } })).toBe('3 of 3 items, 2 failed');
  expect(loopText({ total: null, begun: 7, ended: 6, steps: {} })).toBe('7 iterations');
});
