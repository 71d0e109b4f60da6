import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GATEWAY_SERVICES } from '../../../start/cluster-plan';

const ROOT = join(__dirname, '..', '..', '..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** First cells of the rows of the table under a heading. */
function firstCells(heading: string): string[] {
  const section = (README.split(`\n## ${heading}\n`)[1] ?? '').split('\n## ')[0] ?? '';
  return [...section.matchAll(/^\| (.+?) \|/gm)].map(([, cell = '']) => cell).slice(1);
}

describe('README', () => {
  it('lists every variable that the configuration reads, and no other', () => {
    const files = readdirSync(join(ROOT, 'lib'), { recursive: true, encoding: 'utf8' });
    const source = files
      .filter((file) => /(?:^|[/-])config\.ts$/.test(file))
      .map((file) => readFileSync(join(ROOT, 'lib', file), 'utf8'))
      .join();
    const read = [...source.matchAll(/(?:read\.\w+|text)\('([A-Z_]+)'|env\.([A-Z_]+)\b/g)].map(([, a, b]) => a ?? b);
    const listed = firstCells('Configuration').flatMap((cell) => cell.split(', '));
    expect(listed.sort()).toEqual([...new Set(read)].map((name) => `\`${name}\``).sort());
  });

  it.each(['README.md', 'docs/operations.md'])('%s names every service that a gateway of a cluster runs', (page) => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    expect(text.match(/auth,secrets,[\w,-]+/)?.[0]).toBe(GATEWAY_SERVICES);
  });

  it('says of every runtime dependency what it saves us, and of no other', () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { dependencies: object };
    const named = firstCells('Dependencies').flatMap((cell) => cell.split(', '));
    expect(named.sort()).toEqual(Object.keys(dependencies).sort());
  });

  it.each(['README.md', 'docs/README.md'])('%s links to files that exist', (page) => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(3);
    expect(links.filter((link) => !existsSync(join(ROOT, page, '..', link)))).toEqual([]);
  });
});
