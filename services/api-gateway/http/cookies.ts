const MOST = 200;

/** The cookies whose names begin so (RFC 6265 section 4.2); of two with one name the first, which has the longer path. */
export function cookiesOf(header: string | undefined, prefix: string): Record<string, string> {
  const pairs = (header ?? '').split(';', MOST).flatMap((part): [string, string][] => {
    const equals = part.indexOf('=');
    const name = part.slice(0, Math.max(equals, 0)).trim();
    return name.startsWith(prefix) ? [[name, part.slice(equals + 1).trim()]] : [];
  });
  return Object.fromEntries(pairs.reverse());
}
