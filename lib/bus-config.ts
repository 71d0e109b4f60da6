/** Connection settings of NATS. Files are paths, read when they are needed. */
export interface BusConfig {
  /** `host:port` of servers of one NATS cluster. */
  readonly servers: readonly string[];
  readonly credentials: BusCredentials;
  /** Null: unencrypted. */
  readonly tls: {
    readonly caFile: string | null;
    readonly certFile: string | null;
    readonly keyFile: string | null;
  } | null;
}

export type BusCredentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'password'; readonly user: string; readonly pass: string }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'nkey'; readonly seed: string }
  | { readonly kind: 'creds'; readonly file: string };

type Read = (name: string) => string | null;

/** Reads TRANSPORTER and NATS_*; null without TRANSPORTER. Adds faults to `faults`, without possible passwords. */
export function readBus(text: Read, faults: string[]): BusConfig | null {
  const given = text('TRANSPORTER');
  if (given === null) {
    for (const name of ['NATS_CREDS', 'NATS_TOKEN', 'NATS_NKEY_SEED', 'NATS_TLS_CA', 'NATS_TLS_CERT', 'NATS_TLS_KEY'])
      if (text(name) !== null) faults.push(`${name} is set, but TRANSPORTER is not; set it to nats://host:port`);
    return null;
  }
  const urls = parseUrls(given);
  if (typeof urls === 'string') {
    faults.push(`TRANSPORTER ${urls}`);
    return null;
  }
  const tls = { caFile: text('NATS_TLS_CA'), certFile: text('NATS_TLS_CERT'), keyFile: text('NATS_TLS_KEY') };
  if ((tls.certFile === null) !== (tls.keyFile === null))
    faults.push('NATS_TLS_CERT and NATS_TLS_KEY belong together; set both or none');
  const encrypted = urls[0]?.protocol === 'tls:' || Object.values(tls).some((file) => file !== null);
  return {
    servers: urls.map((url) => `${url.hostname}:${url.port || '4222'}`),
    credentials: credentialsOf(urls, text, faults),
    tls: encrypted ? tls : null,
  };
}

/** The URLs, or an error message. */
function parseUrls(given: string): URL[] | string {
  const urls: URL[] = [];
  for (const part of given.split(',').map((one) => one.trim())) {
    if (part === '') continue;
    const url = URL.canParse(part) ? new URL(part) : null;
    if (url === null || !['nats:', 'tls:'].includes(url.protocol) || url.hostname === '')
      return 'must be nats://host:port or tls://host:port, or several of them by comma; special characters of a user or password are written as %XX';
    if (/[^/]/.test(url.pathname) || url.search !== '' || url.hash !== '')
      return 'must have no path, query or fragment after host and port';
    urls.push(url);
  }
  const first = urls[0];
  if (first === undefined) return 'names no server';
  if (urls.some((url) => url.protocol !== first.protocol)) return 'mixes nats:// and tls://; use one of them';
  if (urls.some((url) => url.username !== '' && (url.username !== first.username || url.password !== first.password)))
    return 'names several users; all servers must take the same one, named in the first URL';
  return urls;
}

function credentialsOf(urls: readonly URL[], text: Read, faults: string[]): BusCredentials {
  const user = decoded(urls[0]?.username ?? '');
  const pass = decoded(urls[0]?.password ?? '');
  const ways: [string, BusCredentials][] = [];
  if (user !== '') {
    // NATS reads a user without a password in a URL as a token.
    const inUrl: BusCredentials = pass === '' ? { kind: 'token', token: user } : { kind: 'password', user, pass };
    ways.push(['the user in TRANSPORTER', inUrl]);
  }
  const token = text('NATS_TOKEN');
  if (token !== null) ways.push(['NATS_TOKEN', { kind: 'token', token }]);
  const seed = text('NATS_NKEY_SEED');
  if (seed !== null) ways.push(['NATS_NKEY_SEED', { kind: 'nkey', seed }]);
  const file = text('NATS_CREDS');
  if (file !== null) ways.push(['NATS_CREDS', { kind: 'creds', file }]);
  if (ways.length > 1) faults.push(`${ways.map(([name]) => name).join(' and ')} are both given; keep one of them`);
  return ways[0]?.[1] ?? { kind: 'none' };
}

/** Percent signs that are no %XX stay unchanged. */
const decoded = (text: string): string =>
  text.replace(/(?:%[\da-f]{2})+/gi, (run) => Buffer.from(run.replaceAll('%', ''), 'hex').toString());
