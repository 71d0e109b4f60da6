import fc from 'fast-check';
import { asMessages, appendTurn } from '../../../services/channels/chat/history';
import type { Turn } from '../../../services/channels/chat/model';

const turn = (n: number, more: Partial<Turn> = {}): Turn => ({
  said: `question ${n}`,
  reply: `reply ${n}`,
  execution_id: `run-${n}`,
  ...more,
});

const questionOf = ({ said }: Turn): string => said;

/** The history after these turns. */
const after = (turns: readonly Turn[]): Turn[] => turns.reduce<Turn[]>(appendTurn, []);

describe('the history of a conversation', () => {
  test('has the last twenty turns, in their order', () => {
    const kept = after(Array.from({ length: 25 }, (_, n) => turn(n)));
    expect(kept.map(questionOf)).toEqual(Array.from({ length: 20 }, (_, n) => `question ${n + 5}`));
  });

  test('has at most 64 KiB, but always the newest turn', () => {
    const text = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      fc.nat(16_000).map((length) => 'x'.repeat(length)),
      fc.nat(8_000).map((length) => '😀'.repeat(length)),
      fc.nat(16_000).map((length) => '語'.repeat(length)),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 30 }), (texts) => {
        const turns = texts.map(([question, reply], n) => turn(n, { said: question.slice(0, 16_000), reply }));
        const kept = after(turns);
        const bytes = kept.reduce(
          (sum, each) => sum + Buffer.byteLength(questionOf(each)) + Buffer.byteLength(each.reply),
          0,
        );
        expect(bytes).toBeLessThanOrEqual(64 * 1024);
        expect(kept.slice(-1).map(questionOf)).toEqual(turns.slice(-1).map(questionOf));
        expect(kept.map(({ execution_id }) => execution_id)).toEqual(
          turns.slice(turns.length - kept.length).map(({ execution_id }) => execution_id),
        );
      }),
      { numRuns: 200 },
    );
  });

  test('has a turn once, even if the end of its run is found twice', () => {
    expect(after([turn(1), turn(2), turn(1)]).map(questionOf)).toEqual(['question 2', 'question 1']);
  });

  test('cuts a reply that is too long, but not within a character', () => {
    const [kept] = after([turn(1, { reply: `${'x'.repeat(15_999)}😀` })]);
    expect(kept?.reply).toBe('x'.repeat(15_999));
  });

  test('becomes messages of the user and the assistant in turn', () => {
    expect(asMessages([turn(1), turn(2)])).toEqual([
      { role: 'user', content: 'question 1' },
      { role: 'assistant', content: 'reply 1' },
      { role: 'user', content: 'question 2' },
      { role: 'assistant', content: 'reply 2' },
    ]);
  });
});
