import { isIPv4, isIPv6 } from 'node:net';

/** A format of texts that is checked. */
interface Format {
  readonly words: string;
  readonly fits: (text: string) => boolean;
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const EMAIL = /^[^\s@]{1,64}@[^\s@]{1,255}$/;
const HOSTNAME = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?(?:\.[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?)*$/i;
const SCHEME = /^[a-z][a-z\d+.-]*:/i;

function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text) ?? [];
  if (year === undefined) return false;
  const date = new Date(0);
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

/** RFC 3339 section 5.6. */
const isDateTime = (text: string): boolean =>
  isDate(text.slice(0, 10)) && /^[t ]$/i.test(text.charAt(10)) && TIME.test(text.slice(11));

/** The formats of JSON Schema 2020-12 that inputs of people need. */
export const FORMATS: Readonly<Record<string, Format>> = {
  'date-time': { words: 'a date with time (2026-03-01T12:00:00Z)', fits: isDateTime },
  date: { words: 'a date (2026-03-01)', fits: isDate },
  time: { words: 'a time with zone (12:00:00Z)', fits: (text) => TIME.test(text) },
  email: { words: 'an e-mail address', fits: (text) => EMAIL.test(text) },
  hostname: { words: 'a host name', fits: (text) => text.length <= 253 && HOSTNAME.test(text) },
  ipv4: { words: 'an IPv4 address', fits: isIPv4 },
  ipv6: { words: 'an IPv6 address', fits: (text) => isIPv6(text) && !text.includes('%') },
  uri: { words: 'a URI', fits: (text) => SCHEME.test(text) && URL.canParse(text) && !/\s/.test(text) },
  uuid: { words: 'a UUID', fits: (text) => UUID.test(text) },
};
