// Runs a TypeScript file of the tests outside of jest: `node test/support/run.mjs test/chaos/main.ts --minutes 5`. Tests
// must not land in the product's build, so they are translated as they are loaded; modules of the product come from its build.
import '../../start/node.mjs';
import { readFileSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformSync } from '@swc/core';
import { build, isStale } from '../../start/build.mjs';
import { builtFile } from './built.cjs';

if (isStale()) await build({ checkTypes: false });

const require = createRequire(import.meta.url);
const options = {
  jsc: { target: 'es2024', parser: { syntax: 'typescript' } },
  module: { type: 'commonjs' },
  sourceMaps: 'inline',
};
require.extensions['.ts'] = (loaded, filename) =>
  loaded._compile(transformSync(readFileSync(filename, 'utf8'), { ...options, filename }).code, filename);
module.registerHooks({
  resolve(name, context, next) {
    const { parentURL = '' } = context;
    const file = name.startsWith('.') && parentURL.endsWith('.ts') && builtFile(fileURLToPath(parentURL), name);
    return file ? { url: pathToFileURL(file).href, format: 'commonjs', shortCircuit: true } : next(name, context);
  },
});

process.setSourceMapsEnabled(true);
const [file] = process.argv.splice(2, 1);
require(resolve(file));
