/** Headers that concern one connection only, in lower case (RFC 9110 section 7.6.1): never handed on to another one. */
export const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
] as const;
