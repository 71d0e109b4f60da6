/** `npm run check -- exports`: fails when the product exports a name that no other file imports. */
import { join } from 'node:path';
import { TASK_MODULES } from '../../lib/compute/task';
import { sourceFiles } from './imports';
import { PRODUCT } from './layers';
import { unusedExports } from './unused-exports';

const ROOT = join(__dirname, '..', '..');
/** Loaded by Moleculer, and the client, whose users are elsewhere. */
const ENTRY = /^clients\/|^moleculer\.config\.ts$/;

/** Compute threads load tasks by the path of their module. */
const tasks = new Set(TASK_MODULES.map((module) => `${module}.ts`));

const files = sourceFiles(ROOT, PRODUCT).filter((file) => !ENTRY.test(file) && !tasks.has(file));
const unused = unusedExports(ROOT, files, sourceFiles(ROOT, [...PRODUCT, 'test']));
for (const each of unused) process.stdout.write(`${each} is exported and not imported\n`);
process.exitCode = unused.length > 0 ? 1 : 0;
