import { changeText, differenceText, inOrder } from '../../../console/src/model/run-comparison';

const side = { status: 'completed', duration_ms: 10 };
const step = { result: 'different' as const, differs: ['loop', 'output'], a: side, b: side };

describe('the comparison of two runs', () => {
  it('says in words what differs', () => {
    expect(differenceText(step)).toBe('Items, output');
    expect(differenceText({ ...step, result: 'only_in_b', a: null })).toBe('Only in B');
    expect(differenceText({ ...step, result: 'same', differs: [] })).toBe('The same');
  });

  it('says by how much B is more or less than A', () => {
    expect(changeText(1_000, 3_500)).toBe('+2.5 s');
    expect(changeText(900, 100)).toBe('-800 ms');
    expect(changeText(5, 5)).toBeNull();
    expect(changeText(null, 5)).toBeNull();
    expect(changeText(1, 3, String)).toBe('+2');
  });

  it('takes the older run as the base', () => {
    const [older, newer] = [
      { id: 'a', started_at: '2026-01-01T00:00:00Z' },
      { id: 'b', started_at: '2026-01-02T00:00:00Z' },
    ];
    expect(inOrder(newer, older)).toEqual([older, newer]);
    expect(inOrder(older, newer)).toEqual([older, newer]);
  });
});
