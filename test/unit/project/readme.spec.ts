import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GATEWAY_SERVICES } from '../../../start/cluster-plan';

const ROOT = join(__dirname, '..', '..', '..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

describe('README', () => {
  it('is shorter than 200 lines', () => {
    expect(README.split('\n').length).toBeLessThan(200);
  });

  it.each(['README.md', 'docs/operations.md'])('%s names every service that a gateway of a cluster runs', (page) => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    expect(text.match(/auth,secrets,[\w,-]+/)?.[0]).toBe(GATEWAY_SERVICES);
  });

  it('leads to a page that says of every runtime dependency what it saves us, and of no other', () => {
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { dependencies: object };
    const page = readFileSync(join(ROOT, 'docs', 'dependencies.md'), 'utf8');
    const section = (page.split('\n## Runtime\n')[1] ?? '').split('\n## ')[0] ?? '';
    const cells = [...section.matchAll(/^\| (.+?) \|/gm)].map(([, cell = '']) => cell).slice(1);
    const named = cells.flatMap((cell) => cell.split(', '));
    expect(named.sort()).toEqual(Object.keys(dependencies).sort());
  });

  it.each(['README.md', 'docs/README.md'])('%s links to files that exist', (page) => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link = '']) => link);
    expect(links.length).toBeGreaterThan(3);
    expect(links.filter((link) => !existsSync(join(ROOT, page, '..', link)))).toEqual([]);
  });
});
