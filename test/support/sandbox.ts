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
import { join } from 'node:path';
import { type PoolPolicy, SandboxPool } from '../../lib/sandbox';

const ROOT = join(__dirname, '..', '..');
const SOURCES = join(ROOT, 'lib', 'sandbox');
/** Inside of node_modules, so that what is compiled finds its packages. */
const CACHE = join(ROOT, 'node_modules', '.cache', 'everstep');

/** A pool with real threads, whose program is compiled first: a worker thread cannot load TypeScript. */
export const openSandbox = (policy: Partial<PoolPolicy> = {}): SandboxPool =>
  new SandboxPool({ policy, entry: compiledWorker() });

/** Path of the compiled worker; made when its sources have changed, whole or not at all. */
function compiledWorker(): string {
  const sources = readdirSync(SOURCES)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts'))
    .map((name) => ({ name, text: readFileSync(join(SOURCES, name), 'utf8') }));
  const hash = createHash('sha256').update(JSON.stringify(sources)).digest('hex').slice(0, 16);
  const folder = join(CACHE, `sandbox-${hash}`);
  if (!existsSync(folder)) {
    mkdirSync(CACHE, { recursive: true });
    const aside = mkdtempSync(join(CACHE, 'sandbox-'));
    for (const { name, text } of sources)
      writeFileSync(join(aside, name.replace(/\.ts$/, '.js')), compiled(name, text));
    put(aside, folder);
  }
  return join(folder, 'worker.js');
}

/** Another process of the tests may have been faster, with the same. */
function put(aside: string, folder: string): void {
  try {
    renameSync(aside, folder);
  } catch (fault) {
    rmSync(aside, { recursive: true });
    if (!existsSync(folder)) throw fault;
  }
}

function compiled(filename: string, text: string): string {
  // Loaded only when wanted: most tests find what another one has made.
  const { transformSync } = require('@swc/core') as typeof import('@swc/core');
  return transformSync(text, {
    filename,
    jsc: { target: 'es2023', parser: { syntax: 'typescript' } },
    module: { type: 'commonjs' },
  }).code;
}
