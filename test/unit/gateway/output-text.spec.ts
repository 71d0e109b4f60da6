import { OutputText } from '../../../services/api-gateway/sse/output-text';

const listener = () => {
  const output = new OutputText();
  const hear = (take: string, at: number, text: string) => output.add({ take, at, text });
  return { output, hear };
};

describe('the text that a gateway receives', () => {
  test('is sent once; pieces that arrived together are joined', () => {
    const { output, hear } = listener();
    expect(hear('a', 0, 'one ')).toBe(true);
    expect(hear('a', 4, 'two')).toBe(true);
    expect(output.take()).toEqual([{ kind: 'text', text: 'one two' }]);
    expect(output.take()).toEqual([]);
  });

  test('has no gap: after a lost piece, nothing more of that take is sent', () => {
    const { output, hear } = listener();
    hear('a', 0, 'one ');
    expect(hear('a', 8, 'three ')).toBe(true);
    expect(hear('a', 14, 'four')).toBe(true);
    expect(output.take()).toEqual([{ kind: 'text', text: 'one ' }]);
    expect(hear('a', 4, 'late')).toBe(false);
  });

  test('is empty for a take whose beginning was lost; a duplicate piece is sent once', () => {
    const { output, hear } = listener();
    expect(hear('a', 4, 'two')).toBe(false);
    hear('b', 0, 'one');
    expect(hear('b', 0, 'one')).toBe(true);
    expect(output.take()).toEqual([{ kind: 'text', text: 'one' }]);
  });

  test('starts again with another take, with a reset if something was sent', () => {
    const { output, hear } = listener();
    hear('a', 0, 'never ');
    output.take();
    hear('b', 0, 'better');
    expect(output.take()).toEqual([{ kind: 'reset' }, { kind: 'text', text: 'better' }]);
  });
});
