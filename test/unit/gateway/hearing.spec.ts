import { Hearing } from '../../../services/api-gateway/sse/hearing';

const listener = () => {
  const hearing = new Hearing();
  const hear = (take: string, at: number, text: string) => hearing.hear({ take, at, text });
  return { hearing, hear };
};

describe('what a gateway has heard of a text', () => {
  test('is told once, pieces that came together as one', () => {
    const { hearing, hear } = listener();
    expect(hear('a', 0, 'one ')).toBe(true);
    expect(hear('a', 4, 'two')).toBe(true);
    expect(hearing.taken()).toEqual([{ kind: 'text', text: 'one two' }]);
    expect(hearing.taken()).toEqual([]);
  });

  test('has no hole: after a piece was lost nothing more of that take is told', () => {
    const { hearing, hear } = listener();
    hear('a', 0, 'one ');
    expect(hear('a', 8, 'three ')).toBe(true);
    expect(hear('a', 14, 'four')).toBe(true);
    expect(hearing.taken()).toEqual([{ kind: 'text', text: 'one ' }]);
    expect(hear('a', 4, 'late')).toBe(false);
  });

  test('is nothing of a take whose beginning was lost, and a piece that comes twice is told once', () => {
    const { hearing, hear } = listener();
    expect(hear('a', 4, 'two')).toBe(false);
    hear('b', 0, 'one');
    expect(hear('b', 0, 'one')).toBe(true);
    expect(hearing.taken()).toEqual([{ kind: 'text', text: 'one' }]);
  });

  test('begins anew with another take, and says so where something was told', () => {
    const { hearing, hear } = listener();
    hear('a', 0, 'never ');
    hearing.taken();
    hear('b', 0, 'better');
    expect(hearing.taken()).toEqual([{ kind: 'reset' }, { kind: 'text', text: 'better' }]);
  });
});
