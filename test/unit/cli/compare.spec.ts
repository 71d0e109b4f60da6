import { differences } from '../../../cli/compare';

const step = (id: string, config: Record<string, number> = {}) => ({ id, type: 'set', config });

describe('differences of workflows', () => {
  it('are absent if only the order of members differs', () => {
    expect(differences({ a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 })).toEqual([]);
  });

  it('name steps by their ids, so that one which is put before others is one difference', () => {
    const from = { steps: [step('a'), step('b', { x: 1 })] };
    const to = { steps: [step('new'), step('a'), step('b', { x: 2 })] };
    expect(differences(from, to)).toEqual([
      { path: 'steps[b].config.x', from: 1, to: 2 },
      { path: 'steps[new]', from: undefined, to: step('new') },
    ]);
  });

  it('tell that steps have changed places', () => {
    expect(differences({ steps: [step('a'), step('b')] }, { steps: [step('b'), step('a')] })).toEqual([
      { path: 'steps (order)', from: ['a', 'b'], to: ['b', 'a'] },
    ]);
  });

  it.each([
    ['ids that are not each one’s own', [step('a'), step('a', { x: 1 })], [step('a'), step('a', { x: 2 })]],
    ['values', [1, 2], [1, 3]],
    ['ids like numbers', [step('1')], [step('1', { x: 1 })]],
  ])('go by place in lists of %s', (_what, from, to) => {
    expect(differences(from as never, to as never)[0]?.path).toMatch(/^\[\d\]/);
  });

  it('take a key such as __proto__ for a key', () => {
    const from = JSON.parse('{"__proto__": {"a": 1}}') as never;
    expect(differences(from, {})).toHaveLength(1);
    expect(differences({}, from)).toHaveLength(1);
    expect(differences([{ id: '__proto__' }], [{ id: '__proto__', x: 1 }])).toHaveLength(1);
  });
});
