import { resolveSrv, resolveTxt } from 'node:dns/promises';
import { EgressError } from '../../../lib/egress';
import type { TlsMode } from '../server-url';

export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** A MongoDB deployment with the login. Any of its hosts can name the one that accepts writes. */
export interface MongoTarget {
  readonly hosts: readonly HostPort[];
  /** '' for none: the step must name it. */
  readonly database: string;
  readonly login: {
    readonly user: string;
    readonly password: string;
    readonly source: string;
    readonly mechanism: MongoMechanism | undefined;
  } | null;
  readonly tls: TlsMode;
  readonly ca?: string;
}

/** Authentication mechanisms that need only a password. Others read the environment of this process or call other servers. */
const MECHANISMS = ['SCRAM-SHA-256', 'SCRAM-SHA-1'] as const;
export type MongoMechanism = (typeof MECHANISMS)[number];

/** DNS lookups for `mongodb+srv`. */
export interface SrvLookup {
  srv(name: string): Promise<readonly { readonly name: string; readonly port: number }[]>;
  txt(name: string): Promise<readonly (readonly string[])[]>;
}

const SYSTEM: SrvLookup = { srv: resolveSrv, txt: resolveTxt };

const MAX_HOSTS = 20;
const DEFAULT_PORT = 27_017;
const URL_SHAPE =
  /^mongodb(\+srv)?:\/\/(?:([^:@/?#\s]*)(?::([^@/?#\s]*))?@)?([^@/?#\s]+)(?:\/([^?#\s]*))?(?:\?([^#\s]*))?$/;
const HOST_SHAPE = /^(\[[\da-f:.]+\]|[^:[\]%]+)(?::(\d{1,5}))?$/i;

/** Settings that change nothing for one question over one connection. */
const IDLE = new Set(
  [
    'appName',
    'connectTimeoutMS',
    'directConnection',
    'heartbeatFrequencyMS',
    'maxIdleTimeMS',
    'maxPoolSize',
    'minPoolSize',
    'readPreference',
    'replicaSet',
    'retryReads',
    'retryWrites',
    'serverSelectionTimeoutMS',
    'socketTimeoutMS',
    'w',
    'waitQueueTimeoutMS',
  ].map((name) => name.toLowerCase()),
);

/** An invalid URL. The message is shown to the author of the workflow, and does not contain the URL. */
export class InvalidUrlError extends Error {}

/**
 * Parses a MongoDB URL. Not by the driver, whose settings can name files of this process, proxies and other servers.
 * @throws InvalidUrlError, EgressError if DNS does not respond
 */
export async function readMongoUrl(
  text: string,
  ca: string | undefined,
  lookup: SrvLookup = SYSTEM,
): Promise<MongoTarget> {
  const [, srv, user = '', password = '', authority = '', path = '', query = ''] = URL_SHAPE.exec(text) ?? [];
  const listed = authority.split(',').map(hostPortOf);
  if (listed.length > MAX_HOSTS || listed.some((host) => host === null)) {
    throw new InvalidUrlError('it must look like mongodb://user:password@host:27017/database');
  }
  let hosts = listed as HostPort[];
  const given = new URLSearchParams(query);
  const settings = new Map<string, string>();
  if (srv !== undefined) {
    const found = await lookUp(authority, lookup);
    hosts = found.hosts;
    for (const [name, value] of found.settings) settings.set(name, value);
  }
  for (const [name, value] of given) settings.set(name.toLowerCase(), value);
  const database = decoded(path);
  const mechanism = mechanismOf(settings);
  const source = settings.get('authsource') ?? (database === '' ? 'admin' : database);
  const tls = tlsOf(settings, srv !== undefined);
  for (const name of settings.keys()) {
    if (!IDLE.has(name) && !READ.has(name)) throw new InvalidUrlError(`the setting "${name}" is not taken`);
  }
  const login = user === '' ? null : { user: decoded(user), password: decoded(password), source, mechanism };
  return { hosts, database, login, tls, ca };
}

/** Settings that count. */
const READ = new Set([
  'authsource',
  'authmechanism',
  'tls',
  'ssl',
  'tlsinsecure',
  'tlsallowinvalidcertificates',
  'tlsallowinvalidhostnames',
]);

function mechanismOf(settings: ReadonlyMap<string, string>): MongoMechanism | undefined {
  const asked = settings.get('authmechanism');
  const known = MECHANISMS.find((one) => one === asked);
  if (asked !== undefined && known === undefined) {
    throw new InvalidUrlError(`authMechanism must be one of ${MECHANISMS.join(', ')}`);
  }
  return known;
}

function tlsOf(settings: ReadonlyMap<string, string>, fallback: boolean): TlsMode {
  const is = (name: string): boolean => settings.get(name) === 'true';
  const asked = settings.get('tls') ?? settings.get('ssl') ?? String(fallback);
  if (asked !== 'true') return 'off';
  if (is('tlsinsecure') || is('tlsallowinvalidcertificates')) return 'none';
  return is('tlsallowinvalidhostnames') ? 'issuer' : 'full';
}

export function hostPortOf(text: string): HostPort | null {
  const [, host, port] = HOST_SHAPE.exec(text) ?? [];
  if (host === undefined) return null;
  return { host: host.replace(/^\[|\]$/g, ''), port: port === undefined ? DEFAULT_PORT : Number(port) };
}

/** Hosts and settings of a seed list in DNS ("Initial DNS Seedlist Discovery" of MongoDB's specifications). */
async function lookUp(name: string, lookup: SrvLookup): Promise<{ hosts: HostPort[]; settings: [string, string][] }> {
  const labels = name.split('.');
  if (name.includes(',') || name.includes(':')) throw new InvalidUrlError('mongodb+srv takes one host, without a port');
  const found = await lookup.srv(`_mongodb._tcp.${name}`).catch((cause: unknown) => {
    throw new EgressError('dns', `DNS has no hosts for ${name}`, { cause });
  });
  // A DNS answer must not redirect the connection, and the password, to hosts of another domain.
  const domain = `.${labels.slice(labels.length > 2 ? 1 : 0).join('.')}`;
  const hosts = found.map((one) => ({ host: one.name.replace(/\.$/, ''), port: one.port }));
  if (hosts.length === 0) throw new EgressError('dns', `DNS has no hosts for ${name}`);
  if (hosts.length > MAX_HOSTS || hosts.some(({ host }) => !host.toLowerCase().endsWith(domain.toLowerCase()))) {
    throw new EgressError('protocol', `DNS sends ${name} to hosts of another domain`);
  }
  // There need be none.
  const texts = await lookup.txt(name).catch(() => []);
  const settings = [...new URLSearchParams(texts.flat().join('&'))]
    .map(([key, value]): [string, string] => [key.toLowerCase(), value])
    .filter(([key]) => key === 'authsource' || key === 'replicaset');
  return { hosts, settings };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new InvalidUrlError('it has a percent sign that stands for nothing; write %25');
  }
}
