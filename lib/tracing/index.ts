export { type TraceContext, parseTraceparent, traceparentOf } from './context';
export type { Attributes, Span } from './otlp';
export { createTracer, type Tracer } from './tracer';
