import { readFileSync } from 'node:fs';
import { ConfigError } from '../../../lib/config';
import { errorMessage } from '../../../lib/errors';
import { isUuid } from '../../../lib/ids';
import { isObject } from '../../../lib/json';
import { isPlainUrl } from '../../../lib/plain-url';
import type { CustomOAuth } from '../../../contracts/oauth-apps';
import type { OAuthApp } from './apps';
import { type AppDefinition, definitionOf } from './definition';
import { settingsOf } from './settings';

/** An app that the operator offers to all tenants. */
export interface OperatorApp {
  readonly app: OAuthApp;
  readonly secret: string;
}

const ID = /^[a-z][a-z\d-]{0,59}$/;
const ENDPOINTS = ['authorize_url', 'token_url', 'revoke_url'] as const;

/** The apps of OAUTH_APPS_FILE. @throws ConfigError */
export function loadOperatorApps(path: string | null): readonly OperatorApp[] {
  if (path === null) return [];
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new ConfigError([`OAUTH_APPS_FILE ${path} cannot be read: ${errorMessage(error)}`]);
  }
  return parseOperatorApps(content, `OAUTH_APPS_FILE ${path}`);
}

/** Reads a list of apps: `{id, name?, preset or custom, client_id, client_secret?, ...}`. Pure. @throws ConfigError */
export function parseOperatorApps(content: unknown, source: string): readonly OperatorApp[] {
  if (!Array.isArray(content)) throw new ConfigError([`${source} must hold a list of apps`]);
  const faults: string[] = [];
  const ids = new Set<string>();
  const apps = content.flatMap((item: unknown, index): OperatorApp[] => {
    try {
      const parsed = operatorApp(item);
      if (ids.has(parsed.app.id)) throw new Error(`the id ${parsed.app.id} occurs twice`);
      ids.add(parsed.app.id);
      return [parsed];
    } catch (error) {
      faults.push(`${source}, app ${index + 1}: ${errorMessage(error)}`);
      return [];
    }
  });
  if (faults.length > 0) throw new ConfigError(faults);
  return apps;
}

function operatorApp(item: unknown): OperatorApp {
  if (!isObject(item)) throw new Error('must be an object');
  const text = (name: string): string | undefined => {
    const value = item[name];
    if (value === undefined || (typeof value === 'string' && value !== '')) return value;
    throw new Error(`"${name}" must be a text`);
  };
  const [id = '', client_id, client_secret, preset] = ['id', 'client_id', 'client_secret', 'preset'].map(text);
  if (!ID.test(id) || isUuid(id)) throw new Error('"id" must be lower-case letters, digits and hyphens');
  if (client_id === undefined) throw new Error('"client_id" is required');
  const definition: AppDefinition = {
    ...definitionOf({
      ...(preset === undefined ? {} : { preset }),
      ...(isObject(item.custom) ? { custom: item.custom as unknown as CustomOAuth } : {}),
      ...(client_secret === undefined ? {} : { client_secret }),
      ...(isObject(item.variables) ? { variables: textsOf(item.variables) } : {}),
      ...(Array.isArray(item.scopes) ? { scopes: item.scopes.map(String) } : {}),
      ...(Array.isArray(item.hosts) ? { hosts: item.hosts.map(String) } : {}),
    }),
    ...(preset === undefined ? {} : { endpoints: endpointsOf(text) }),
  };
  const settings = settingsOf(definition, client_secret === undefined);
  if (settings === null) throw new Error(`the preset "${preset}" is unknown`);
  const app: OAuthApp = {
    id,
    name: text('name') ?? settings.preset?.title ?? id,
    source: 'operator',
    clientId: client_id,
    hasSecret: client_secret !== undefined,
    definition,
    settings,
    doc: null,
  };
  return { app, secret: client_secret ?? '' };
}

const textsOf = (given: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]));

/** Endpoints of the operator's own server, which may be internal and without TLS. */
function endpointsOf(text: (name: string) => string | undefined): Record<string, string> {
  const given = ENDPOINTS.flatMap((name): [string, string][] => {
    const url = text(name);
    if (url === undefined) return [];
    if (!isPlainUrl(url)) throw new Error(`"${name}" must be a URL without user name, query and fragment`);
    return [[name, url]];
  });
  return Object.fromEntries(given);
}
