/**
 * `npm run check -- words`: fails when a folder of `CLEAN_PATHS` has a banned word.
 * With `--all`, reads every folder and prints the number of findings in each. With paths, reads those.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { faultsOf, type WordException, wordFaults } from './banned-words';
import { CLEAN_PATHS, UNCHECKED_PATHS, WORD_EXCEPTIONS } from './word-exceptions';

const ROOT = join(__dirname, '..', '..');
const TEXT_FILE = /(?:\.(?:[cm]?[jt]sx?|md|html|css|ya?ml|sh)|^\.ci\/run)$/;
const SKIPPED_FOLDERS = new Set(['.git', 'coverage', 'data', 'dist', 'node_modules']);

const isUnder = (file: string, paths: readonly string[]): boolean =>
  paths.some((path) => file === path || file.startsWith(`${path}/`));

function textFiles(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED_FOLDERS.has(entry.name) ? [] : textFiles(path);
    const file = relative(ROOT, path).replaceAll('\\', '/');
    return TEXT_FILE.test(file) && !isUnder(file, UNCHECKED_PATHS) ? [file] : [];
  });
}

const args = process.argv.slice(2);
const readsAll = args.includes('--all');
const paths = args.length > 0 ? args : CLEAN_PATHS;
const files = textFiles(ROOT).filter((file) => readsAll || isUnder(file, paths));
const used = new Set<WordException>();
const faults = files.flatMap((file) => [
  ...wordFaults(file).map((fault) => `${file}: path: ${fault}`),
  ...faultsOf(file, readFileSync(join(ROOT, file), 'utf8'), WORD_EXCEPTIONS, used),
]);
const stale = WORD_EXCEPTIONS.filter((exception) => files.includes(exception.file) && !used.has(exception));

if (readsAll) {
  const counts = new Map<string, number>();
  for (const fault of faults) {
    const [file = ''] = fault.split(':');
    const folder = file.split('/').slice(0, 2).join('/');
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  for (const [folder, count] of counts) process.stdout.write(`${String(count).padStart(5)}  ${folder}\n`);
} else {
  for (const fault of faults) process.stdout.write(`${fault}\n`);
}
for (const { file, line } of stale) {
  process.stdout.write(`${file}: no line with a banned word has "${line}"; remove the exception\n`);
}
process.exitCode = faults.length + stale.length > 0 ? 1 : 0;
