import { writeFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROUTES } from '../services/api-gateway/routes';
import { VERSION } from '../start/version';
import { clientText } from './client';
import { documentOf } from './openapi';
import examples from './openapi/examples.json';
import { actionsPage, withActions } from './pages/actions';
import { withTables } from './pages/api';
import { configurationPage } from './pages/configuration';
import { errorsPage } from './pages/errors';
import { languagePage } from './pages/language';
import { nodesPage } from './pages/nodes';

/** A generated file. */
interface Output {
  readonly path: string;
  readonly text: string;
  /** True if the file has this text already. */
  readonly isCurrent: boolean;
}

/** All generated files of the project in `root`. */
function outputs(root: string): readonly Output[] {
  const document = documentOf({ routes: ROUTES, examples }, VERSION);
  const texts: Readonly<Record<string, string>> = {
    'services/api-gateway/openapi/document.json': `${JSON.stringify(document, null, 1)}\n`,
    'clients/typescript/src/api.ts': clientText(document),
    'docs/api.md': withTables(readFileSync(join(root, 'docs/api.md'), 'utf8'), document),
    'docs/configuration.md': configurationPage(),
    'docs/errors.md': errorsPage(),
    'docs/events-and-actions.md': actionsPage(),
    'docs/nats.md': withActions(readFileSync(join(root, 'docs/nats.md'), 'utf8')),
    'docs/reference/language.md': languagePage(),
    'docs/reference/nodes.md': nodesPage(),
  };
  return Object.entries(texts).map(([path, text]) => ({ path, text, isCurrent: textOf(join(root, path)) === text }));
}

const textOf = (path: string): string | null => (existsSync(path) ? readFileSync(path, 'utf8') : null);

const ROOT = join(__dirname, '..');

/** Writes all generated files. With `--check`, writes nothing and fails when a file is out of date. */
function main(): number {
  const made = outputs(ROOT);
  if (!process.argv.includes('--check')) {
    for (const { path, text } of made) writeFileSync(join(ROOT, path), text);
    process.stdout.write(`${made.map(({ path }) => path).join('\n')}\n`);
    return 0;
  }
  const stale = made.filter(({ isCurrent }) => !isCurrent).map(({ path }) => path);
  if (stale.length > 0) process.stderr.write(`Out of date; run npm run generate:\n${stale.join('\n')}\n`);
  return stale.length > 0 ? 1 : 0;
}

// Services are created to read their schemas; some hold handles that keep the process open.
process.exit(main());
