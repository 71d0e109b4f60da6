import { complete, completionsAt, queryOfLabel } from '../../../console/src/model/run-query';
import { readQuery } from '../../../services/executor/visibility';

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

describe('the query of a label', () => {
  it('stands within conditions joined by AND, and else alone', () => {
    expect(queryOfLabel('order', '17')).toBe('Label.order = "17"');
    expect(queryOfLabel('order', '17', 'ExecutionStatus = "Failed"')).toBe(
      'ExecutionStatus = "Failed" AND Label.order = "17"',
    );
    expect(queryOfLabel('order', '17', 'A = "b" OR C = "d"')).toBe('Label.order = "17"');
    expect(queryOfLabel('order', '17', 'Label.order = "17"')).toBe('Label.order = "17"');
  });

  it('quotes the value', () => {
    expect(queryOfLabel('a', 'x"y\\z')).toBe('Label.a = "x""y\\\\z"');
    expect(readQuery(queryOfLabel('a', 'x"y\\z'), 0).filter).toEqual({ labels: 'a=x"y\\z' });
  });
});
