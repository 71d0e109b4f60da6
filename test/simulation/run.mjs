// `npm run simulate`: runs the simulation's own program outside of jest. Sources are compiled as they are loaded, file
// by file, and what was compiled is kept for the next time: nothing of it goes into the build.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync } from '@swc/core';

const here = dirname(fileURLToPath(import.meta.url));
const cache = join(here, '..', '..', 'node_modules', '.cache', 'simulation');
mkdirSync(cache, { recursive: true });

const OPTIONS = {
  jsc: { target: 'es2024', parser: { syntax: 'typescript' } },
  module: { type: 'commonjs' },
  sourceMaps: 'inline',
};

function compiled(file) {
  const source = readFileSync(file, 'utf8');
  const kept = join(cache, `${createHash('sha256').update(JSON.stringify(OPTIONS)).update(source).digest('hex')}.js`);
  try {
    return readFileSync(kept, 'utf8');
  } catch (fault) {
    if (fault.code !== 'ENOENT') throw fault;
  }
  const { code } = transformSync(source, { ...OPTIONS, filename: file });
  // Several processes compile at once: a half-written file must not be read.
  const half = `${kept}.${process.pid}`;
  writeFileSync(half, code);
  renameSync(half, kept);
  return code;
}

const require = createRequire(import.meta.url);
require.extensions['.ts'] = (module, file) => module._compile(compiled(file), file);
process.setSourceMapsEnabled(true);
require('./main.ts');
