/** Hop-by-hop headers, in lower case (RFC 9110 section 7.6.1). They are never forwarded. */
export const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
] as const;
