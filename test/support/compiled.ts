import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

const ROOT = join(__dirname, '..', '..');
/** Inside node_modules, so that compiled files find their packages. */
const CACHE = join(ROOT, 'node_modules', '.cache', 'everstep');

/** Path of a compiled file of the product, for threads, which cannot load TypeScript. `folders`: as of `compiledRoot`. */
export const compiledFile = (file: string, folders: readonly string[]): string =>
  join(compiledRoot(folders), file.replace(/\.ts$/, '.js'));

/**
 * Folder with the compiled files of `folders`, which contain all of their imports except packages. Made when a source has
 * changed, atomically.
 */
export function compiledRoot(folders: readonly string[]): string {
  const sources = folders
    .flatMap((folder) => readdirSync(join(ROOT, folder), { recursive: true }).map((name) => join(folder, String(name))))
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.d.ts'))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));
  const hash = createHash('sha256').update(JSON.stringify(sources)).digest('hex').slice(0, 16);
  const made = join(CACHE, hash);
  if (!existsSync(made)) {
    mkdirSync(CACHE, { recursive: true });
    const aside = mkdtempSync(join(CACHE, 'aside-'));
    for (const { path, text } of sources) {
      const target = join(aside, path.replace(/\.ts$/, '.js'));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, compiled(path, text));
    }
    put(aside, made);
  }
  return made;
}

/** Another test process may have created the same folder before. */
function put(aside: string, folder: string): void {
  try {
    renameSync(aside, folder);
  } catch (fault) {
    rmSync(aside, { recursive: true });
    if (!existsSync(folder)) throw fault;
  }
}

function compiled(filename: string, text: string): string {
  // Loaded on demand: most tests find the folder that another one has made.
  const { transformSync } = require('@swc/core') as typeof import('@swc/core');
  return transformSync(text, {
    filename,
    jsc: { target: 'es2024', parser: { syntax: 'typescript' } },
    module: { type: 'commonjs' },
  }).code;
}
