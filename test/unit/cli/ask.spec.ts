import { PassThrough } from 'node:stream';
import { askPerson } from '../../../cli/ask';

/** A user at a terminal, and its output. */
function person() {
  const stopping = new AbortController();
  const [input, output] = [new PassThrough(), new PassThrough()];
  let seen = '';
  output.on('data', (chunk: Buffer) => (seen += chunk.toString()));
  const keyboard = { input, output, interrupt: () => stopping.abort() };
  return {
    input,
    seen: () => seen,
    ask: (hidden: boolean) => askPerson(keyboard, 'Word: ', { hidden, signal: stopping.signal }),
  };
}

describe('a question to a person', () => {
  it.each([
    [false, 'Word: sesame'],
    [true, 'Word: \n'],
  ])('is answered by a line; hidden: %s', async (hidden, shown) => {
    const { ask, input, seen } = person();
    const answer = ask(hidden);
    input.write('sesame\r');
    expect(await answer).toBe('sesame');
    expect(seen().startsWith(shown)).toBe(true);
    expect(seen().includes('sesame')).toBe(!hidden);
  });

  it('is cancelled by Ctrl-C and by the end of input', async () => {
    const [one, other] = [person(), person()];
    const answers = [one.ask(true), other.ask(false)];
    one.input.write('ses\u0003');
    other.input.end();
    expect(await Promise.all(answers)).toEqual([null, null]);
  });
});
