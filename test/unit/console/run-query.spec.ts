import { complete, completionsAt } from '../../../console/src/model/run-query';

const labels = (text: string): string[] => completionsAt(text, text.length).items.map(({ label }) => label);

describe('completions of the query line', () => {
  it('offers fields at the start, after a connective and inside parentheses', () => {
    expect(labels('')).toContain('ExecutionStatus');
    expect(labels('ExecutionStatus = "Failed" AND ')).toContain('StartTime');
    expect(labels('exec')).toEqual(['ExecutionStatus', 'ExecutionDuration']);
  });

  it('offers comparisons after a field and its values after a comparison', () => {
    expect(labels('ExecutionStatus ')).toContain('=');
    expect(labels('ExecutionStatus = ')).toContain('"Failed"');
    expect(labels('executionstatus = "F')).toEqual(['"Failed"']);
    expect(labels('WaitingFor IN (')).toEqual([]);
    expect(labels('ExecutionStatus = "Failed" ')).toEqual(['AND', 'OR', 'ORDER BY']);
  });

  it('replaces the word at the caret', () => {
    const text = 'Exec = "Failed"';
    const offered = completionsAt(text, 4);
    const [item] = offered.items;
    expect(item && complete(text, offered, item)).toEqual({ text: 'ExecutionStatus  = "Failed"', caret: 16 });
  });
});
