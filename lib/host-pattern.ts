/** `api.example.com`, `*.example.com` or either with a port. A star stands for one or more labels, before two or more. */
const PATTERN = /^(?:\*\.(?=[\w-]+\.))?[a-z\d](?:[\w-]*[a-z\d])?(?:\.[a-z\d](?:[\w-]*[a-z\d])?)*(?::\d{1,5})?$/i;
const MAX_CHARS = 200;

/** Whether a text is a pattern of hosts. */
export const isHostPattern = (text: string): boolean => text.length <= MAX_CHARS && PATTERN.test(text);

/** Whether a URL has a host of these patterns. A pattern without a port allows the port of https alone. Pure. */
export function hostMatches(patterns: readonly string[], url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname, port } = new URL(url);
  const isLoopback = LOOPBACK.has(hostname);
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback)) return false;
  const effective = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return patterns.some((pattern) => {
    const [, host = '', wanted = '443'] = /^(.*?)(?::(\d+))?$/.exec(pattern.toLowerCase()) ?? [];
    const named = host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host;
    return named && effective === wanted;
  });
}

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** https, or http on this machine, which the egress rules refuse unless the operator allows it. */
export function isSecureUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.has(hostname));
}
