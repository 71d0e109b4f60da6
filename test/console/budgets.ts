import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const DIST = join(__dirname, '..', '..', 'console', 'dist');
const MAX_FIRST_PAGE_KB = 150;
/** Of a page beside what the first page has loaded. */
const MAX_PAGE_KB = 60;
/** What visitors of a chat load, and the sites that show one: no part of the console. */
const VISITORS = ['src/visitors/chat.ts', 'src/visitors/widget.ts'];
const MAX_VISITOR_KB = 25;
/** Pages that may be larger, by their source. */
const LARGER_PAGES: Readonly<Record<string, number>> = {
  // The editor with its code view is at most 250 KB.
  'src/pages/editor/code-view.tsx': 197,
};

interface Chunk {
  readonly file: string;
  readonly src?: string;
  readonly isEntry?: boolean;
  readonly isDynamicEntry?: boolean;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

type Manifest = Readonly<Record<string, Chunk>>;

/** What a page loads that is over its budget, in KB of gzip. */
export function overBudget(): string[] {
  const manifest = JSON.parse(readFileSync(join(DIST, '.vite', 'manifest.json'), 'utf8')) as Manifest;
  const entries = Object.entries(manifest);
  const first = filesOf(manifest, 'index.html');
  const rows = entries
    .filter(([, { isDynamicEntry }]) => isDynamicEntry)
    .map(([key, { src = key }]) => ({
      name: src,
      size: sizeOf([...filesOf(manifest, key)].filter((file) => !first.has(file))),
      max: LARGER_PAGES[src] ?? MAX_PAGE_KB,
    }));
  const home = rows.find(({ name }) => name.includes('pages/home/'));
  if (home === undefined) throw new Error('The manifest of the console has no home page');
  const visitors = VISITORS.map((name) => ({ name, size: sizeOf([...filesOf(manifest, name)]), max: MAX_VISITOR_KB }));
  const shared = VISITORS.filter((name) => [...filesOf(manifest, name)].some((file) => first.has(file)));
  if (shared.length > 0) throw new Error(`${shared.join(', ')} load files of the console`);
  const all = [
    { name: 'the first page', size: sizeOf([...first]) + home.size, max: MAX_FIRST_PAGE_KB },
    ...rows,
    ...visitors,
  ];
  for (const { name, size, max } of all) console.log(`        ${size.toFixed(1).padStart(6)} of ${max} KB  ${name}`);
  return all
    .filter(({ size, max }) => size > max)
    .map(({ name, size, max }) => `${name}: ${size.toFixed(1)} KB of ${max}`);
}

/** The files that a chunk needs, with those of the chunks that it imports. */
function filesOf(manifest: Manifest, key: string, found = new Set<string>()): Set<string> {
  const chunk = manifest[key];
  if (chunk === undefined || found.has(chunk.file)) return found;
  found.add(chunk.file);
  for (const file of chunk.css ?? []) found.add(file);
  for (const imported of chunk.imports ?? []) filesOf(manifest, imported, found);
  return found;
}

const sizeOf = (files: readonly string[]): number =>
  files.reduce((sum, file) => sum + gzipSync(readFileSync(join(DIST, file)), { level: 9 }).length, 0) / 1_000;
