import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { METRICS } from '../../../lib/metrics';

const ROOT = join(__dirname, '..', '..', '..');
const DOCS = join(ROOT, 'docs');
const pages = [
  join(ROOT, 'README.md'),
  join(ROOT, 'CHANGELOG.md'),
  ...readdirSync(DOCS, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join(DOCS, name)),
];
const textOf = (page: string): string => readFileSync(page, 'utf8').replace(/^```.*?^```$/gms, '');

/** As GitHub makes them of headings. */
const anchorsOf = (page: string): Set<string> =>
  new Set(
    [...readFileSync(page, 'utf8').matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
      heading
        .trim()
        .toLowerCase()
        .replace(/[^\p{L}\p{N}_ -]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );

test('links between pages lead somewhere', () => {
  const broken = pages.flatMap((page) =>
    [...textOf(page).matchAll(/\]\((?!https?:|mailto:)([^)\s]*)\)/g)].flatMap(([, target = '']) => {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : resolve(dirname(page), path);
      const there = existsSync(file) && (anchor === undefined || !file.endsWith('.md') || anchorsOf(file).has(anchor));
      return there ? [] : [`${relative(ROOT, page)}: ${target}`];
    }),
  );
  expect(broken).toEqual([]);
});

test('metrics that pages name are metrics that there are', () => {
  const names = new Set(Object.values(METRICS).map(({ name }) => name as string));
  const derived = /_(bucket|sum|count)$|^everstep_claim_lag_p99_seconds$/;
  const unknown = pages.flatMap((page) =>
    [...textOf(page).matchAll(/`(everstep_[a-z0-9_]+)`/g)]
      .map(([, name = '']) => name)
      .filter((name) => !names.has(name.replace(derived, '')) && !derived.test(name)),
  );
  expect(unknown).toEqual([]);
});

test('the list of pages has every page', () => {
  const listed = readFileSync(join(DOCS, 'README.md'), 'utf8');
  const names = readdirSync(DOCS).filter((name) => name.endsWith('.md') && name !== 'README.md');
  expect(names.filter((name) => !listed.includes(`(${name})`))).toEqual([]);
});

test('every decision page has a status and a date, and is in the list', () => {
  const folder = join(DOCS, 'decisions');
  const listed = readFileSync(join(folder, 'README.md'), 'utf8');
  const names = readdirSync(folder).filter((name) => name !== 'README.md');
  const status = /^# .+\n\nStatus: (?:accepted|superseded by \[).*\. Date: \d{4}-\d\d-\d\d\.\n/;
  expect(names.filter((name) => !status.test(readFileSync(join(folder, name), 'utf8')))).toEqual([]);
  expect(names.filter((name) => !listed.includes(`(${name})`))).toEqual([]);
});
