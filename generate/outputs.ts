import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROUTES } from '../services/api-gateway/routes';
import { VERSION } from '../start/version';
import { readMenus } from './menus';
import { clientText } from './client';
import { documentOf } from './openapi';
import examples from './openapi/examples.json';
import { actionsPage } from './pages/actions';
import { languagePage } from './pages/language';
import { nodesPage } from './pages/nodes';
import { readTypes } from './types';

/** A file that is made of the sources. */
export interface Output {
  readonly path: string;
  readonly text: string;
  /** The file has this text already. */
  readonly isCurrent: boolean;
}

/** All that is made, for a project's folder. */
export function outputs(root: string): readonly Output[] {
  const types = readTypes(root);
  const { actions: menus } = readMenus();
  const document = documentOf({ routes: ROUTES, menus, types, examples }, VERSION);
  const texts: Readonly<Record<string, string>> = {
    'services/api-gateway/openapi/document.json': `${JSON.stringify(document, null, 1)}\n`,
    'clients/typescript/src/api.ts': clientText(document),
    'docs/events-and-actions.md': actionsPage(menus, types),
    'docs/reference/language.md': languagePage(types),
    'docs/reference/nodes.md': nodesPage(),
  };
  return Object.entries(texts).map(([path, text]) => ({ path, text, isCurrent: textOf(join(root, path)) === text }));
}

const textOf = (path: string): string | null => (existsSync(path) ? readFileSync(path, 'utf8') : null);
