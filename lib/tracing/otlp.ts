import type { TraceContext } from './context';

/** Undefined values are omitted. */
export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** A finished span. Times in epoch milliseconds. */
export interface Span {
  readonly context: TraceContext;
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: keyof typeof KINDS;
  readonly startedAt: number;
  readonly endedAt: number;
  readonly attributes: Attributes;
  /** Why it failed, without secrets; null on success. */
  readonly error: string | null;
}

/** `SpanKind` of OTLP's trace.proto. */
const KINDS = { internal: 1, server: 2, client: 3 } as const;
/** `Status.StatusCode` of the same. */
const STATUS_ERROR = 2;

/** The body of a request to `/v1/traces`: ExportTraceServiceRequest in JSON (OTLP 1.x: ids in hexadecimal, 64-bit numbers as texts). */
export const exportRequest = (
  resource: Attributes,
  scope: { name: string; version: string },
  spans: readonly Span[],
) => ({
  resourceSpans: [
    {
      resource: { attributes: keyValues(resource) },
      scopeSpans: [{ scope, spans: spans.map(encoded) }],
    },
  ],
});

const encoded = ({ context, parentSpanId, name, kind, startedAt, endedAt, attributes, error }: Span) => ({
  traceId: context.traceId,
  spanId: context.spanId,
  ...(parentSpanId === null ? {} : { parentSpanId }),
  flags: context.sampled ? 1 : 0,
  name,
  kind: KINDS[kind],
  startTimeUnixNano: nanos(startedAt),
  endTimeUnixNano: nanos(Math.max(startedAt, endedAt)),
  attributes: keyValues(attributes),
  ...(error === null ? {} : { status: { code: STATUS_ERROR, message: error } }),
});

const nanos = (ms: number): string => `${Math.round(ms)}000000`;

const keyValues = (attributes: Attributes) =>
  Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: anyValue(value) }]));

function anyValue(value: string | number | boolean) {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
