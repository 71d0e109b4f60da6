import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..', '..');
const PAGE = readFileSync(join(ROOT, 'docs', 'security.md'), 'utf8');

interface Attack {
  readonly threat: string;
  readonly file: string;
  readonly title: string;
}

const attacks = [...PAGE.matchAll(/^\| (.+?) \| .+ \| `([\w/-]+)`: (.+) \|$/gm)].map(
  ([, threat = '', file = '', title = '']): Attack => ({ threat, file: `test/${file}.spec.ts`, title }),
);

describe('the list of attacks', () => {
  it('has forty and more, in rows that say what, how and by which test', () => {
    const figures = /^\| while |\| \d+ \|$/;
    const rows = PAGE.split('\n').filter(
      (line) => line.startsWith('| ') && !line.startsWith('| threat') && !figures.test(line),
    );
    expect(attacks.length).toBe(rows.length);
    expect(attacks.length).toBeGreaterThanOrEqual(40);
    expect(new Set(attacks.map(({ threat }) => threat)).size).toBe(attacks.length);
  });

  it.each(attacks)('$threat: is tried by a test that exists', ({ file, title }) => {
    expect(existsSync(join(ROOT, file))).toBe(true);
    // As the source writes it: quotes may be escaped, and a title may be the name of a case.
    const source = readFileSync(join(ROOT, file), 'utf8').replaceAll("\\'", "'");
    expect(source).toContain(title);
  });
});
