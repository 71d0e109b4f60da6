import { asksForTrials, renamedView, withoutView, withView } from '../../../console/src/model/run-views';

const view = (name: string, query = '') => ({ name, query, trials: false });

describe('saved views', () => {
  it('are added, replaced in their place, renamed and removed', () => {
    const two = withView([view('a')], view('b'));
    expect(two).toEqual([view('a'), view('b')]);
    expect(withView(two, view('a', 'x'))).toEqual([view('a', 'x'), view('b')]);
    expect(renamedView(two, 'a', 'c')).toEqual([view('c'), view('b')]);
    expect(renamedView([view('a', 'x'), view('b')], 'a', 'b')).toEqual([view('b', 'x')]);
    expect(renamedView(two, 'a', 'a')).toEqual(two);
    expect(withoutView(two, 'a')).toEqual([view('b')]);
  });
});

describe('a query', () => {
  it.each([
    ['TriggerType = "trial"', true],
    ["workflowid IN ('a')", true],
    ['ExecutionStatus = "Failed"', false],
    ['WorkflowType = "TriggerType = 1"', false],
    ['', false],
  ])('%s asks for trials: %s', (query, asks) => expect(asksForTrials(query)).toBe(asks));
});
