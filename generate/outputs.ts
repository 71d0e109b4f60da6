import { existsSync, readFileSync } from 'node:fs';
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
  /** Whether the file has this text already. */
  readonly isCurrent: boolean;
}

/** All generated files of the project in `root`. */
export function outputs(root: string): readonly Output[] {
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
