import { harmless, jsonLine, paint, Terminal } from '../../../cli/terminal';

const written = (look: { colours: boolean; live: boolean }, use: (terminal: Terminal) => void): string => {
  let text = '';
  use(new Terminal((piece) => (text += piece), look));
  return text;
};
const PLAIN = { colours: false, live: false };
const COLOURED = { colours: true, live: true };

describe('untrusted text on a terminal', () => {
  it.each([
    ['an escape sequence', 'a\u001b[2Jb', 'a\\x1b[2Jb'],
    ['the same in one character', 'a\u009b2Jb', 'a\\x9b2Jb'],
    ['a title of the window', '\u001b]0;x\u0007', '\\x1b]0;x\\x07'],
    ['a line that is written over', 'paid\rfree', 'paid\\x0dfree'],
    ['a second line', 'a\nb', 'a\\x0ab'],
    ['text that turns its direction', 'a\u202etxt.exe', 'a\\u202etxt.exe'],
  ])('has %s shown as what it is', (_what, text, shown) => {
    expect(harmless(text)).toBe(shown);
    expect(written(COLOURED, (out) => out.line(paint('red', text)))).toBe(`\u001b[31m${shown}\u001b[0m\n`);
    expect(written(PLAIN, (out) => out.table([text], [[text]]))).toBe(`${shown}\n${shown}\n`);
    expect(written(COLOURED, (out) => out.status(text))).toBe(`\r\u001b[K${shown}`);
  });

  it('stays the same otherwise', () => {
    expect(harmless('Größe 🚀 naïve 漢字')).toBe('Größe 🚀 naïve 漢字');
  });

  it('is escaped in JSON without changing its value', () => {
    const value = { name: 'a\u009b2J\u202e\u007f\u001b' };
    expect(jsonLine(value)).not.toMatch(/[\u007f-\u009f\u202e\u001b]/);
    expect(JSON.parse(jsonLine(value))).toEqual(value);
  });
});

describe('a terminal', () => {
  it('has colours and a line that changes only where they are wanted', () => {
    const use = (out: Terminal): void => {
      out.status('1 of 2');
      out.line(paint('green', 'done'));
    };
    expect(written(PLAIN, use)).toBe('done\n');
    expect(written(COLOURED, use)).toBe('\r\u001b[K1 of 2\r\u001b[K\u001b[32mdone\u001b[0m\n\r\u001b[K1 of 2');
  });
});
