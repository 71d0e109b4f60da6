import { dialledHost } from './egress/host';

/** How a connection to a mail server is kept from others: TLS from the first byte, TLS once greeted, or not at all. */
export type SmtpSecurity = 'tls' | 'starttls' | 'none';

/** A mail server, and who we are to it. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  readonly security: SmtpSecurity;
  readonly login: { readonly user: string; readonly password: string } | null;
}

/** The port that a mail server has for a kind of connection (RFC 8314, RFC 5321). */
export const SMTP_PORTS: Readonly<Record<SmtpSecurity, number>> = { tls: 465, starttls: 587, none: 25 };

/**
 * `smtps://user:password@host`, `smtp://user:password@host:587` (with STARTTLS), or `smtp://host?security=none`; null for
 * anything else, unknown settings included.
 */
export function readSmtpUrl(text: string): SmtpServer | null {
  if (!/^smtps?:\/\/[^\s/]+$/.test(text) || !URL.canParse(text)) return null;
  const { protocol, hostname, port, username, password, search } = new URL(text);
  const settings = { '': null, '?security=none': 'none', '?security=starttls': 'starttls' } as const;
  const wanted = Object.hasOwn(settings, search) ? settings[search as keyof typeof settings] : undefined;
  const host = dialledHost(hostname);
  if (host === null || wanted === undefined || (protocol === 'smtps:' && wanted !== null)) return null;
  const [user, secret] = [decoded(username), decoded(password)];
  if (user === null || secret === null || (user === '') !== (secret === '')) return null;
  const security = protocol === 'smtps:' ? 'tls' : (wanted ?? 'starttls');
  return {
    host,
    port: port === '' ? SMTP_PORTS[security] : Number(port),
    security,
    login: user === '' ? null : { user, password: secret },
  };
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    // URIError, for a lonely percent sign.
    return null;
  }
}
