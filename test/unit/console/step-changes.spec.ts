import { stepChanges } from '../../../console/src/model/step-changes';

const place = (id: string) => ({ id, type: 'log', within: 'steps' });

describe('changes of steps', () => {
  it('are named by the ids of the later document', () => {
    const diff = {
      same: false,
      steps: {
        added: [place('fresh')],
        removed: [place('gone')],
        moved: [
          { id: 'moved', from: 'steps', to: 'each.steps' },
          { id: 'both', from: 'steps', to: 'steps' },
        ],
        changed: [{ id: 'both', changes: [] }],
      },
      document: [],
      truncated: false,
    };
    expect(Object.fromEntries(stepChanges(diff))).toEqual({ fresh: 'added', moved: 'moved', both: 'changed' });
  });

  it('are none without a comparison', () => {
    expect(stepChanges(undefined).size).toBe(0);
  });
});
