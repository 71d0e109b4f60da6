// Runs a TypeScript file of the tests outside of jest: `node test/support/run.mjs test/chaos/main.ts --minutes 5`. Tests
// must not land in the product's build, so they are translated as they are loaded, as jest does it.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { transformSync } from '@swc/core';
import { readFileSync } from 'node:fs';

const require = createRequire(import.meta.url);
const options = {
  jsc: { target: 'es2024', parser: { syntax: 'typescript' } },
  module: { type: 'commonjs' },
  sourceMaps: 'inline',
};

require.extensions['.ts'] = (module, filename) =>
  module._compile(transformSync(readFileSync(filename, 'utf8'), { ...options, filename }).code, filename);
// Endings are tried in the order of their keys: beside prices.json, `./prices` is prices.ts, as for the compiler.
const json = require.extensions['.json'];
delete require.extensions['.json'];
require.extensions['.json'] = json;

process.setSourceMapsEnabled(true);
const [file] = process.argv.splice(2, 1);
require(join(process.cwd(), file));
