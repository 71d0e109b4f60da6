import { load } from 'js-yaml';
import { isObject } from '../../../lib/json';
import { isPlainUrl } from '../../../lib/plain-url';
import { IMPORTED_PREFIX, type ImportedConnector } from '../../../nodes/connectors/imported';
import { actionsIn, hasPaths } from './operations';
import { schemesIn } from './security';
import { Source, textOf } from './source';

/** Characters of YAML that are read; JSON may be as large as a body may be. */
const MAX_YAML_CHARS = 2 * 1024 * 1024;
const MAX_SERVER_CHARS = 2_000;

/** Options for importing a document. */
export interface ImportOptions {
  readonly name: string;
  /** Instead of the document's own. */
  readonly title: string | null;
  readonly baseUrl: string | null;
  /** URL of the document, for resolving relative server URLs. */
  readonly url: string | null;
}

/** A connector without its revision, with the skipped parts of the document; or the problem. */
export type ReadOpenApi =
  | {
      readonly kind: 'connector';
      readonly connector: Omit<ImportedConnector, 'revision'>;
      readonly left: readonly string[];
    }
  | { readonly kind: 'fault'; readonly path: 'document' | 'base_url'; readonly message: string };

/**
 * Reads the description of an API: OpenAPI 3.0 and 3.1, Swagger 2.0, as an object, or as text of JSON or YAML. Total on
 * any value, and bounded; nothing is fetched.
 */
export function readOpenApi(document: unknown, around: ImportOptions): ReadOpenApi {
  const root = typeof document === 'string' ? parsed(document) : document;
  if (typeof root === 'string') return fault(root);
  if (!isObject(root) || !isKnown(root)) return fault('is no description of an API: OpenAPI 3.0, 3.1 or Swagger 2.0');
  const source = new Source(root);
  if (!hasPaths(source)) return fault('has no "paths"');
  const base = around.baseUrl ?? serverIn(source, around.url);
  if (base === null || !isPlainUrl(base)) {
    return { kind: 'fault', path: 'base_url', message: 'is needed: the document names no server that can be used' };
  }
  const { actions, left } = actionsIn(source);
  if (actions.length === 0) return fault('has no operation that can be used');
  const connector = {
    ...describe(source, around),
    base: base.replace(/\/+$/, ''),
    schemes: schemesIn(source),
    actions,
  };
  return { kind: 'connector', connector, left };
}

const isKnown = ({ openapi, swagger }: Record<string, unknown>): boolean =>
  isText(openapi, /^3\.[01]\b/) || isText(swagger, /^2\.0$/);

/** The name and title of the connector. */
function describe(
  { root }: Source,
  { name, title }: ImportOptions,
): Pick<ImportedConnector, 'name' | 'title' | 'description' | 'docs'> {
  const info = isObject(root.info) ? root.info : {};
  const docs = isObject(root.externalDocs) ? textOf(root.externalDocs.url, 2_000) : '';
  const own = textOf(info.title, 200) || name;
  return {
    name: `${IMPORTED_PREFIX}${name}`,
    title: title ?? own,
    description: textOf(info.description, 2_000) || own,
    docs: isText(docs, /^https:\/\//) && URL.canParse(docs) ? docs : null,
  };
}

const fault = (message: string): ReadOpenApi => ({ kind: 'fault', path: 'document', message });

const isText = (value: unknown, pattern: RegExp): value is string => typeof value === 'string' && pattern.test(value);

/** The parsed value, or the problem. */
function parsed(text: string): Record<string, unknown> | string {
  const value = text.trimStart().startsWith('{') ? readJson(text) : readYaml(text);
  if (typeof value === 'string') return value;
  return isObject(value) ? value : 'is no object';
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // JSON.parse throws for bad syntax alone; a text in braces may still be YAML.
    return readYaml(text);
  }
}

function readYaml(text: string): unknown {
  if (text.length > MAX_YAML_CHARS) return 'is larger than 2 MiB, the most that is read of YAML; send it as JSON';
  try {
    return load(text, { json: true, maxDepth: 100, maxAliases: 1_000 });
  } catch (thrown) {
    const [line = ''] = (thrown instanceof Error ? thrown.message : '').split('\n');
    return `is neither JSON nor YAML: ${line.slice(0, 200)}`;
  }
}

/** The address of the first server; null where the document has none that is whole. */
function serverIn({ root }: Source, url: string | null): string | null {
  const text = root.swagger === undefined ? newServer(root) : oldServer(root, url);
  if (text === null) return null;
  return URL.canParse(text, url ?? undefined) ? new URL(text, url ?? undefined).href : null;
}

function newServer({ servers }: Record<string, unknown>): string | null {
  const [server] = Array.isArray(servers) ? (servers as unknown[]) : [];
  if (!isObject(server) || typeof server.url !== 'string' || server.url.length > MAX_SERVER_CHARS) return null;
  const variables = isObject(server.variables) ? server.variables : {};
  return server.url.replaceAll(/\{([^{}]*)\}/g, (all, name: string) => {
    if (!Object.hasOwn(variables, name)) return all;
    const variable = variables[name];
    return isObject(variable) ? textOf(variable.default, 200) : '';
  });
}

function oldServer({ host, basePath, schemes }: Record<string, unknown>, url: string | null): string | null {
  const path = typeof basePath === 'string' ? basePath : '/';
  if (typeof host !== 'string') return url === null ? null : path;
  const secure = !Array.isArray(schemes) || schemes.length === 0 || schemes.includes('https');
  return `${secure ? 'https' : 'http'}://${host}${path}`;
}
