import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LAWS } from '../../support/layers';

const ROOT = join(__dirname, '..', '..', '..');
const PAGE = readFileSync(join(ROOT, 'docs', 'architecture.md'), 'utf8');
const rowsOf = (pattern: RegExp): string[][] =>
  PAGE.split('\n')
    .filter((line) => pattern.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
const codes = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);

describe('docs/architecture.md', () => {
  it('lists every module with exactly the imports that the check of the layers allows', () => {
    const listed = rowsOf(/^\| `/).map(([module, , imports]) => [codes(module)[0], codes(imports)]);
    expect(Object.fromEntries(listed)).toEqual(
      Object.fromEntries(Object.entries(LAWS).map(([module, { imports }]) => [module, imports])),
    );
  });

  it('follows a webhook in at most twelve steps, through functions that exist in the files that it names', () => {
    const steps = rowsOf(/^\| \d+ \|/);
    expect(steps.map(([number]) => Number(number))).toEqual(steps.map((_, at) => at + 1));
    expect(steps.length).toBeGreaterThan(5);
    expect(steps.length).toBeLessThanOrEqual(12);
    const missing = steps.filter(([, file, name]) => {
      const source = readFileSync(join(ROOT, codes(file)[0] as string), 'utf8');
      return !new RegExp(`^\\s*(?:export |async |function |const )*${codes(name)[0]}\\s*[(<=]`, 'm').test(source);
    });
    expect(missing).toEqual([]);
  });
});
