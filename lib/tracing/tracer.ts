import type { TraceContext } from './context';
import type { Span } from './otlp';
import { isSampled, type Sampler } from './sampler';

/** Makes spans. Where no traces are wanted there is none, and nothing is made. */
export interface Tracer {
  /** The name of a span that begins now: in its parent's trace, or in a new one. */
  begin(parent: TraceContext | null): TraceContext;
  /** The span is over. */
  end(span: Span): void;
}

export interface TracerDeps {
  readonly sampler: Sampler;
  readonly random: (bytes: number) => Uint8Array;
  /** Takes spans that are to be told. Must return at once. */
  readonly tell: (span: Span) => void;
}

const TRACE_BYTES = 16;
const SPAN_BYTES = 8;

export function createTracer({ sampler, random, tell }: TracerDeps): Tracer {
  const hex = (bytes: number): string => Buffer.from(random(bytes)).toString('hex');
  return {
    begin(parent) {
      const traceId = parent?.traceId ?? hex(TRACE_BYTES);
      return { traceId, spanId: hex(SPAN_BYTES), sampled: isSampled(sampler, traceId, parent) };
    },
    end(span) {
      if (span.context.sampled) tell(span);
    },
  };
}
