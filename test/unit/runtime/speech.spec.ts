import fc from 'fast-check';
import { type Said, Speech } from '../../../runtime/actor/speech';
import { disguises } from '../../../runtime/rules/disguises';
import { Veil } from '../../../runtime/rules/veil';
import { ManualClock } from '../../support/manual-clock';

const CODE = 'c0de';

function speaker(secrets: Readonly<Record<string, string>> = {}) {
  const veil = new Veil(() => CODE);
  veil.learn(new Map(Object.entries(secrets)));
  const clock = new ManualClock();
  const sent: Said[] = [];
  let takes = 0;
  const speech = new Speech({
    stepId: 'answer',
    veil,
    clock,
    newTake: () => `take-${++takes}`,
    send: (said) => sent.push(said),
  });
  const heard = (): string => sent.map(({ text }) => text).join('');
  return { veil, clock, speech, sent, heard };
}

const piecesOf = (text: string, cuts: readonly number[]): string[] => {
  const at = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, index) => text.slice(from, at[index] ?? text.length));
};

/** Few letters, so that secrets overlap each other and occur by chance. */
const tight = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 3, maxLength: 8 });
const loose = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ', '⟦', '⟧'), maxLength: 10 });
const mark = fc.constantFrom(`⟦secret:A:${CODE}⟧`, `⟦secret:A.3:${CODE}⟧`, '⟦secret:', '⟦secret:A:', '⟦sec');

describe('what a step says in pieces', () => {
  test('is what a text in one piece shows behind the veil, wherever it is cut', () => {
    fc.assert(
      fc.property(
        fc.array(tight, { minLength: 1, maxLength: 4 }),
        fc.array(fc.oneof(tight, loose, mark), { maxLength: 12 }),
        fc.array(fc.nat(), { maxLength: 20 }),
        fc.array(fc.nat(), { maxLength: 6 }),
        (secrets, parts, cuts, picks) => {
          const { veil, clock, speech, heard } = speaker(Object.fromEntries(secrets.map((s, n) => [`S${n}`, s])));
          const hidden = picks.map((pick) => secrets[pick % secrets.length] as string);
          const text = [...parts, ...hidden].join('');
          for (const piece of piecesOf(text, cuts)) {
            speech.say(piece);
            if (piece.length % 2 === 0) clock.advance(40);
          }
          speech.end();
          expect(heard()).toBe(veil.maskText(text));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('never shows a form of a secret at any moment, not even the half that was there first', () => {
    const value = 'sk-live/9f+ü"8 ß=';
    fc.assert(
      fc.property(
        fc.constantFrom(value, ...disguises(value).filter((form) => form.length >= 3)),
        fc.array(fc.nat(), { maxLength: 12 }),
        (form, cuts) => {
          const { speech, clock, heard } = speaker({ KEY: value });
          const seen: string[] = [];
          for (const piece of piecesOf(`The key is ${form}, keep it`, cuts)) {
            speech.say(piece);
            clock.advance(40);
            seen.push(heard());
          }
          speech.end();
          expect(seen.every((text) => 'The key is ***, keep it'.startsWith(text))).toBe(true);
          expect(heard()).toBe('The key is ***, keep it');
        },
      ),
      { numRuns: 500 },
    );
  });

  test('is not held back where no secret can begin', () => {
    const { speech, heard } = speaker({ KEY: 'x'.repeat(5_000) });
    speech.say('Hello');
    expect(heard()).toBe('Hello');
  });

  test('goes out at once, and what comes right after it together', () => {
    const { speech, sent, clock } = speaker();
    for (const piece of ['one ', 'two ', 'three']) speech.say(piece);
    expect(sent).toEqual([{ stepId: 'answer', take: 'take-1', at: 0, text: 'one ' }]);
    clock.advance(40);
    expect(sent[1]).toEqual({ stepId: 'answer', take: 'take-1', at: 4, text: 'two three' });
    clock.advance(1_000);
    expect(clock.pending).toBe(0);
    expect(sent).toHaveLength(2);
  });

  test('that begins anew is another take, without what was still to be said', () => {
    const { speech, sent, clock } = speaker();
    for (const piece of ['one ', 'two']) speech.say(piece);
    speech.restart();
    speech.say('three');
    speech.end();
    clock.advance(1_000);
    expect(sent.map(({ take, at, text }) => [take, at, text])).toEqual([
      ['take-1', 0, 'one '],
      ['take-2', 0, 'three'],
    ]);
  });

  test('goes in pieces that a message can hold, and cuts no character in two', () => {
    const { speech, sent, heard } = speaker();
    const text = `x${'😀'.repeat(20_000)}`;
    speech.say(text);
    speech.end();
    expect(heard()).toBe(text);
    expect(sent.every(({ text: piece }) => piece.length <= 16 * 1024 && /^x?(?:😀)*$/u.test(piece))).toBe(true);
    expect(sent.map(({ at }) => at)).toEqual(
      sent.map((_, n) => sent.slice(0, n).reduce((sum, s) => sum + s.text.length, 0)),
    );
  });

  test('has an end, however much a model says', () => {
    const { speech, heard, clock } = speaker();
    for (let i = 0; i < 600; i++) {
      speech.say('x'.repeat(1_000));
      clock.advance(40);
    }
    speech.end();
    expect(heard()).toHaveLength(256 * 1024);
  });
});
