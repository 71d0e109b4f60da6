import type { Peer, Verification } from '../../lib/egress';

/** The parts of a server URL: `scheme://user:password@host:port/path?name=value`. */
interface ServerUrl {
  readonly scheme: string;
  readonly host: string;
  /** Null where the URL names none. */
  readonly port: number | null;
  readonly user: string;
  readonly password: string;
  /** Without its first slash. */
  readonly path: string;
  readonly settings: ReadonlyMap<string, string>;
}

/** The decoded parts of a URL; null if it is malformed. */
export function readServerUrl(text: string): ServerUrl | null {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+]*):\/\/(\S+)$/.exec(text) ?? [];
  // Read as http, the host is checked, and has one spelling.
  if (rest === '' || /^[/?#]/.test(rest) || !URL.canParse(`http://${rest}`)) return null;
  const url = new URL(`http://${rest}`);
  const port = /^[^/?#]*:(\d+)(?:[/?#]|$)/.exec(rest.slice(rest.lastIndexOf('@') + 1))?.[1];
  try {
    return {
      scheme,
      host: url.hostname,
      // The URL's own `port` is empty for 80, which is the default of http alone.
      port: port === undefined ? null : Number(port),
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      path: decodeURIComponent(url.pathname.slice(1)),
      settings: new Map(url.searchParams),
    };
  } catch {
    // URIError, for a lonely percent sign.
    return null;
  }
}

/** How a connection is kept from others; `off`: not at all. */
export type TlsMode = Verification | 'off';

const MODES: Readonly<Record<string, TlsMode>> = {
  disable: 'off',
  disabled: 'off',
  require: 'none',
  required: 'none',
  'verify-ca': 'issuer',
  'verify-full': 'full',
  'verify-identity': 'full',
};

/** The TLS mode for a value of PostgreSQL's `sslmode` or MySQL's `ssl-mode`; undefined for unknown values. */
export const tlsModeOf = (word: string): TlsMode | undefined => {
  const known = word.toLowerCase().replaceAll('_', '-');
  return Object.hasOwn(MODES, known) ? MODES[known] : undefined;
};

/** Whom TLS is with; null for none. */
export const peerOf = (to: { readonly host: string; readonly tls: TlsMode; readonly ca?: string }): Peer | null =>
  to.tls === 'off' ? null : { host: to.host, verify: to.tls, ca: to.ca };
