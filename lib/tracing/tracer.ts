import type { TraceContext } from './context';
import type { Span } from './otlp';
import { isSampled, type Sampler } from './sampler';

/** Creates spans. There is no tracer when traces are off. */
export interface Tracer {
  /** The identity of a span that begins now: in its parent's trace, or in a new one. */
  begin(parent: TraceContext | null): TraceContext;
  /** Exports a finished span, if its trace is sampled. */
  end(span: Span): void;
}

interface TracerDeps {
  readonly sampler: Sampler;
  readonly random: (bytes: number) => Uint8Array;
  /** Receives sampled spans. Must return at once. */
  readonly export: (span: Span) => void;
}

const TRACE_BYTES = 16;
const SPAN_BYTES = 8;

export function createTracer({ sampler, random, export: exportSpan }: TracerDeps): Tracer {
  const hex = (bytes: number): string => Buffer.from(random(bytes)).toString('hex');
  return {
    begin(parent) {
      const traceId = parent?.traceId ?? hex(TRACE_BYTES);
      return { traceId, spanId: hex(SPAN_BYTES), sampled: isSampled(sampler, traceId, parent) };
    },
    end(span) {
      if (span.context.sampled) exportSpan(span);
    },
  };
}
