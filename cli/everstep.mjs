#!/usr/bin/env node
// `npx everstep`: the compiled command line; in a checkout it is compiled first when a source has changed.
import '../start/node.mjs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, isStale } from '../start/build.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
if (isStale()) await build({ checkTypes: false });
createRequire(import.meta.url)(join(root, 'dist', 'cli', 'main.js'));
