import { readServerUrl, type TlsMode } from '../server-url';

/** A connection as its author writes it: a URL, or its parts. */
export type RedisConnection =
  | string
  | { url: string; ca?: string }
  | { host: string; port?: number; user?: string; password?: string; database?: number; tls?: boolean; ca?: string };

/** A Redis server and its login; '' for none. */
export interface RedisTarget {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: number;
  readonly tls: TlsMode;
  readonly ca?: string;
}

const PORT = 6_379;

/** The server that a connection names; null for a URL that names none. */
export function redisTarget(input: RedisConnection): RedisTarget | null {
  if (typeof input !== 'string' && 'host' in input) {
    const { host, port = PORT, user = '', password = '', database = 0, tls = false, ca } = input;
    return { host, port, user, password, database, tls: tls ? 'full' : 'off', ca };
  }
  const { url, ca } = typeof input === 'string' ? { url: input, ca: undefined } : input;
  const read = readServerUrl(url);
  if (read === null || !/^rediss?$/.test(read.scheme) || !/^\d{0,5}$/.test(read.path) || read.settings.size > 0)
    return null;
  const { scheme, host, port, user, password, path } = read;
  return {
    host,
    port: port ?? PORT,
    user,
    password,
    database: Number(path),
    tls: scheme === 'rediss' ? 'full' : 'off',
    ca,
  };
}
