import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../lib/clock';
import { parseTraceparent, type TraceContext, type Tracer } from '../../../lib/tracing';
import type { GatewayRequest } from './request';

/** What is remembered of a request that is traced, until its answer is over. */
export interface RequestSpan {
  readonly context: TraceContext;
  readonly parentSpanId: string | null;
  readonly startedAt: number;
}

/** Begins the span of a request, in the trace that its `traceparent` names, if it names one. */
export function traceRequest(tracer: Tracer, clock: Clock, request: GatewayRequest, response: ServerResponse): void {
  const parent = parseTraceparent(request.headers.traceparent);
  const span = { context: tracer.begin(parent), parentSpanId: parent?.spanId ?? null, startedAt: clock.now() };
  request.span = span;
  if (span.context.sampled) response.on('close', () => endSpan(tracer, span, request, response, clock.now()));
}

function endSpan(
  tracer: Tracer,
  span: RequestSpan,
  { method, match, requestId }: GatewayRequest,
  { statusCode, writableFinished }: ServerResponse,
  endedAt: number,
): void {
  const route = match?.kind === 'found' ? match.route : null;
  // Probes come every few seconds, and belong to nothing.
  if (route?.kind === 'health' && span.parentSpanId === null) return;
  tracer.end({
    ...span,
    // Never with the path itself: it holds ids, and of webhooks the secret.
    name: route === null ? 'HTTP' : `${route.method} ${route.path}`,
    kind: 'server',
    endedAt,
    attributes: {
      'http.request.method': method,
      'http.route': route?.path,
      'http.response.status_code': writableFinished ? statusCode : undefined,
      'everstep.request.id': requestId,
    },
    // By OpenTelemetry's conventions, what clients do wrong is no error of a server.
    error: statusCode >= 500 ? String(statusCode) : writableFinished ? null : 'aborted',
  });
}
