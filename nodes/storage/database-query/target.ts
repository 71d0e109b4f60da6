import { readServerUrl, type TlsMode, tlsModeOf } from '../server-url';
import type { SqlTarget } from './contract';
import { type MongoTarget, readMongoUrl, InvalidUrlError } from './mongodb-target';

/** A connection as its author writes it: a URL, or its parts. */
export type ConnectionInput = string | { url: string; ca?: string } | ConnectionParts;

interface ConnectionParts {
  host: string;
  port?: number;
  database?: string;
  user?: string;
  password?: string;
  sslmode?: string;
  auth_source?: string;
  ca?: string;
}

/** URL schemes and default ports of the SQL drivers. */
const SQL = {
  postgres: {
    schemes: ['postgres', 'postgresql'],
    port: 5_432,
    example: 'postgres://user:password@host:5432/database',
  },
  mysql: { schemes: ['mysql', 'mariadb'], port: 3_306, example: 'mysql://user:password@host:3306/database' },
} as const;

export type SqlDriver = keyof typeof SQL;

/** Settings of URLs that change nothing for one statement over one connection. */
const IDLE = new Set([
  'application_name',
  'connect_timeout',
  'channel_binding',
  'charset',
  'fallback_application_name',
]);

/** The server of SQL that a connection names. @throws InvalidUrlError */
export function sqlTarget(driver: SqlDriver, input: ConnectionInput): SqlTarget {
  const { port: usual, schemes, example } = SQL[driver];
  if (typeof input !== 'string' && 'host' in input) {
    const { host, port = usual, database = '', user, password = '', sslmode, ca } = input;
    if (user === undefined || user === '') throw new InvalidUrlError('it must name a user');
    return { host, port, database, user, password, tls: tlsOf(sslmode), ca };
  }
  const { url, ca } = typeof input === 'string' ? { url: input, ca: undefined } : input;
  const read = readServerUrl(url);
  if (read === null || !schemes.some((scheme) => scheme === read.scheme) || read.user === '') {
    throw new InvalidUrlError(`it must look like ${example}`);
  }
  const { host, port, user, password, path, settings } = read;
  for (const name of settings.keys()) {
    if (!IDLE.has(name) && name !== 'sslmode' && name !== 'ssl-mode') {
      throw new InvalidUrlError(`the setting "${name}" is not taken; a certificate authority goes into "ca"`);
    }
  }
  const mode = settings.get('sslmode') ?? settings.get('ssl-mode');
  return { host, port: port ?? usual, database: path, user, password, tls: tlsOf(mode), ca };
}

/** Verified by default: otherwise an attacker in the middle can read and change everything. */
function tlsOf(word: string | undefined): TlsMode {
  const mode = word === undefined ? 'full' : tlsModeOf(word);
  if (mode === undefined) throw new InvalidUrlError('sslmode must be verify-full, verify-ca, require or disable');
  return mode;
}

/** The deployment of MongoDB that a connection names. @throws InvalidUrlError, EgressError */
export async function mongoTarget(input: ConnectionInput): Promise<MongoTarget> {
  if (typeof input === 'string') return readMongoUrl(input, undefined);
  if ('url' in input) return readMongoUrl(input.url, input.ca);
  const { host, port = 27_017, database = '', user, password = '', sslmode, auth_source, ca } = input;
  const source = auth_source ?? (database === '' ? 'admin' : database);
  const login = user === undefined || user === '' ? null : { user, password, source, mechanism: undefined };
  return { hosts: [{ host, port }], database, login, tls: tlsOf(sslmode), ca };
}

/** Texts in a connection that no message may show, in each form in which a server or a client might quote them. */
export function hiddenForms(input: ConnectionInput): string[] {
  const url = typeof input === 'string' ? input : 'url' in input ? input.url : null;
  const password = url === null ? (input as ConnectionParts).password : /^[^:]+:\/\/[^:@/]*:([^@/]*)@/.exec(url)?.[1];
  const forms = password === undefined ? [] : [password, plainOf(password), encodeURIComponent(plainOf(password))];
  return url === null ? forms : [url, ...forms];
}

function plainOf(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // URIError, for a percent sign that is one.
    return text;
  }
}
