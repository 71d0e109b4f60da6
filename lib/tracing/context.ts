/** The global identity of a span (W3C Trace Context). Ids are lower-case hexadecimal: 32 and 16 digits. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  /** True when the spans of the trace are exported. */
  readonly sampled: boolean;
}

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const SAMPLED = 1;
const MAX_CHARACTERS = 512;

/** Parses a `traceparent` header; null when it is absent or malformed (W3C Trace Context, section 3.2). */
export function parseTraceparent(text: unknown): TraceContext | null {
  if (typeof text !== 'string' || text.length > MAX_CHARACTERS) return null;
  const [, version, traceId = '', spanId = '', flags = '', more] = TRACEPARENT.exec(text) ?? [];
  // Later versions may append fields; this one may not.
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

export const traceparentOf = ({ traceId, spanId, sampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
