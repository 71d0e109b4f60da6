import fc from 'fast-check';
import { type StreamChunk, OutputStream } from '../../../runtime/execution/output-stream';
import { encodedForms } from '../../../runtime/core/secrets/encoded-forms';
import { SecretRedactor } from '../../../runtime/core/secrets/secret-redactor';
import { ManualClock } from '../../support/manual-clock';

const CODE = 'c0de';

function openStream(secrets: Readonly<Record<string, string>> = {}) {
  const redactor = new SecretRedactor(() => CODE);
  redactor.register(new Map(Object.entries(secrets)));
  const clock = new ManualClock();
  const sent: StreamChunk[] = [];
  let takes = 0;
  const stream = new OutputStream({
    stepId: 'answer',
    redactor,
    clock,
    newStreamId: () => `take-${++takes}`,
    send: (chunk) => sent.push(chunk),
  });
  const receivedText = (): string => sent.map(({ text }) => text).join('');
  return { redactor, clock, stream, sent, receivedText };
}

const piecesOf = (text: string, cuts: readonly number[]): string[] => {
  const at = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].sort((a, b) => a - b);
  return [0, ...at].map((from, index) => text.slice(from, at[index] ?? text.length));
};

/** Few letters, so that secrets overlap each other and occur by chance. */
const tight = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 3, maxLength: 8 });
const loose = fc.string({ unit: fc.constantFrom('a', 'b', 'c', ' ', '⟦', '⟧'), maxLength: 10 });
const mark = fc.constantFrom(`⟦secret:A:${CODE}⟧`, `⟦secret:A.3:${CODE}⟧`, '⟦secret:', '⟦secret:A:', '⟦sec');

describe('the output stream of a step', () => {
  test('is the redacted text, wherever it is split', () => {
    fc.assert(
      fc.property(
        fc.array(tight, { minLength: 1, maxLength: 4 }),
        fc.array(fc.oneof(tight, loose, mark), { maxLength: 12 }),
        fc.array(fc.nat(), { maxLength: 20 }),
        fc.array(fc.nat(), { maxLength: 6 }),
        (secrets, parts, cuts, picks) => {
          const { redactor, clock, stream, receivedText } = openStream(
            Object.fromEntries(secrets.map((s, n) => [`S${n}`, s])),
          );
          const hidden = picks.map((pick) => secrets[pick % secrets.length] as string);
          const text = [...parts, ...hidden].join('');
          for (const piece of piecesOf(text, cuts)) {
            stream.write(piece);
            if (piece.length % 2 === 0) clock.advance(40);
          }
          stream.end();
          expect(receivedText()).toBe(redactor.redactText(text));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('never contains a part of a secret, at any moment', () => {
    const value = 'sk-live/9f+ü"8 ß=';
    fc.assert(
      fc.property(
        fc.constantFrom(value, ...encodedForms(value).filter((form) => form.length >= 3)),
        fc.array(fc.nat(), { maxLength: 12 }),
        (form, cuts) => {
          const { stream, clock, receivedText } = openStream({ KEY: value });
          const seen: string[] = [];
          for (const piece of piecesOf(`The key is ${form}, keep it`, cuts)) {
            stream.write(piece);
            clock.advance(40);
            seen.push(receivedText());
          }
          stream.end();
          expect(seen.every((text) => 'The key is ***, keep it'.startsWith(text))).toBe(true);
          expect(receivedText()).toBe('The key is ***, keep it');
        },
      ),
      { numRuns: 500 },
    );
  });

  test('is not held back where no secret can start', () => {
    const { stream, receivedText } = openStream({ KEY: 'x'.repeat(5_000) });
    stream.write('Hello');
    expect(receivedText()).toBe('Hello');
  });

  test('sends the first chunk at once, and the following ones together', () => {
    const { stream, sent, clock } = openStream();
    for (const piece of ['one ', 'two ', 'three']) stream.write(piece);
    expect(sent).toEqual([{ stepId: 'answer', streamId: 'take-1', offset: 0, text: 'one ' }]);
    clock.advance(40);
    expect(sent[1]).toEqual({ stepId: 'answer', streamId: 'take-1', offset: 4, text: 'two three' });
    clock.advance(1_000);
    expect(clock.pending).toBe(0);
    expect(sent).toHaveLength(2);
  });

  test('has a new id after a reset, and drops pending text', () => {
    const { stream, sent, clock } = openStream();
    for (const piece of ['one ', 'two']) stream.write(piece);
    stream.reset();
    stream.write('three');
    stream.end();
    clock.advance(1_000);
    expect(sent.map(({ streamId: take, offset: at, text }) => [take, at, text])).toEqual([
      ['take-1', 0, 'one '],
      ['take-2', 0, 'three'],
    ]);
  });

  test('is sent in chunks that fit into a message, and splits no character', () => {
    const { stream, sent, receivedText } = openStream();
    const text = `x${'😀'.repeat(20_000)}`;
    stream.write(text);
    stream.end();
    expect(receivedText()).toBe(text);
    expect(sent.every(({ text: piece }) => piece.length <= 16 * 1024 && /^x?(?:😀)*$/u.test(piece))).toBe(true);
    expect(sent.map(({ offset: at }) => at)).toEqual(
      sent.map((_, n) => sent.slice(0, n).reduce((sum, s) => sum + s.text.length, 0)),
    );
  });

  test('is limited in its total size', () => {
    const { stream, receivedText, clock } = openStream();
    for (let i = 0; i < 600; i++) {
      stream.write('x'.repeat(1_000));
      clock.advance(40);
    }
    stream.end();
    expect(receivedText()).toHaveLength(256 * 1024);
  });
});
