import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..', '..');
const rows = readFileSync(join(ROOT, 'docs/glossary.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| term |'))
  .map((line) => line.split(' | ').map((cell) => cell.replaceAll(/^\| | \|$/g, '')));

describe('docs/glossary.md', () => {
  it.each(rows)('%s: has one sentence and places that exist', (_term, meaning = '', places = '') => {
    expect(meaning).toMatch(/^[^.]*(?:\.[^ ][^.]*)*\.$/);
    const paths = [...places.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('has each term once', () => {
    const terms = rows.map(([term]) => term);
    expect(new Set(terms).size).toBe(terms.length);
  });
});
