export { type TraceContext, parseTraceparent, traceparentOf } from './context';
export type { Span } from './otlp';
export { createTracer, type Tracer } from './tracer';
