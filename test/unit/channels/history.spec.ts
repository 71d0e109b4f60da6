import fc from 'fast-check';
import { asMessages, remembered } from '../../../services/channels/chat/history';
import type { Turn } from '../../../services/channels/chat/model';

const turn = (n: number, more: Partial<Turn> = {}): Turn => ({
  said: `said ${n}`,
  reply: `reply ${n}`,
  execution_id: `run-${n}`,
  ...more,
});

/** What is left after these turns, one after the other. */
const after = (turns: readonly Turn[]): Turn[] => turns.reduce<Turn[]>(remembered, []);

describe('what a conversation remembers', () => {
  test('are its last twenty turns, in their order', () => {
    const kept = after(Array.from({ length: 25 }, (_, n) => turn(n)));
    expect(kept.map(({ said }) => said)).toEqual(Array.from({ length: 20 }, (_, n) => `said ${n + 5}`));
  });

  test('is 64 KiB at most, and the newest turn always, however they come', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      fc.nat(16_000).map((length) => 'x'.repeat(length)),
      fc.nat(8_000).map((length) => '😀'.repeat(length)),
      fc.nat(16_000).map((length) => '語'.repeat(length)),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 30 }), (texts) => {
        const turns = texts.map(([said, reply], n) => turn(n, { said: said.slice(0, 16_000), reply }));
        const kept = after(turns);
        const bytes = kept.reduce(
          (sum, { said, reply }) => sum + Buffer.byteLength(said) + Buffer.byteLength(reply),
          0,
        );
        expect(bytes).toBeLessThanOrEqual(64 * 1024);
        expect(kept.at(-1)?.said).toBe(turns.at(-1)?.said);
        expect(kept.map(({ execution_id }) => execution_id)).toEqual(
          turns.slice(turns.length - kept.length).map(({ execution_id }) => execution_id),
        );
      }),
      { numRuns: 200 },
    );
  });

  test('has a turn once, though its run is found at an end twice', () => {
    expect(after([turn(1), turn(2), turn(1)]).map(({ said }) => said)).toEqual(['said 2', 'said 1']);
  });

  test('cuts a reply that is far too long, and not in the middle of a character', () => {
    const [kept] = after([turn(1, { reply: `${'x'.repeat(15_999)}😀` })]);
    expect(kept?.reply).toBe('x'.repeat(15_999));
  });

  test('are messages of the two, in turns', () => {
    expect(asMessages([turn(1), turn(2)])).toEqual([
      { role: 'user', content: 'said 1' },
      { role: 'assistant', content: 'reply 1' },
      { role: 'user', content: 'said 2' },
      { role: 'assistant', content: 'reply 2' },
    ]);
  });
});
