import { loopText, loopTrail, parentOf } from '../../../console/src/model/loop-path';

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

it('the progress of a loop names items that have failed', () => {
  expect(loopText({ total: 1_200, begun: 40, ended: 30, steps: { completed: 30 } })).toBe('30 of 1,200 items');
  expect(loopText({ total: 3, begun: 3, ended: 3, steps: { failed: 2 } })).toBe('3 of 3 items, 2 failed');
  expect(loopText({ total: null, begun: 7, ended: 6, steps: {} })).toBe('7 iterations');
});
