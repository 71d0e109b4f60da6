import { dialledHost } from './egress/host';

/** Transport security: TLS from the first byte, STARTTLS, or none. */
type SmtpSecurity = 'tls' | 'starttls' | 'none';

/** A mail server and its login. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  readonly security: SmtpSecurity;
  readonly login: { readonly user: string; readonly password: string } | null;
}

/** Default port by transport security (RFC 8314, RFC 5321). */
export const SMTP_PORTS: Readonly<Record<SmtpSecurity, number>> = { tls: 465, starttls: 587, none: 25 };

/**
 * Parses `smtps://user:password@host`, `smtp://user:password@host:587` (STARTTLS) or `smtp://host?security=none`; null
 * for other texts, including unknown settings.
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
    // URIError: an invalid percent sequence.
    return null;
  }
}
