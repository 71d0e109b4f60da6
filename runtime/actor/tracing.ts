import { type TraceContext, type Tracer, traceparentOf } from '../../lib/tracing';
import type { PreparedStep } from '../../dsl';
import type { Settled } from '../rules/event';
import type { Execution, RunTrace } from '../store/port';

/** The span of a run as a whole. */
export const spanOfRun = ({ id, span, sampled }: RunTrace): TraceContext => ({ traceId: id, spanId: span, sampled });

/** The span of one attempt of a step; nothing where nobody traces the run. */
export interface StepSpan {
  /** For whoever the step asks. */
  readonly traceparent: string;
  /** `outcome`: what it came to; null when it was given up. */
  end(outcome: Settled | null, endedAt: number): void;
}

/** Begins the span of an attempt, inside of that of its run. */
export function beginStepSpan(
  tracer: Tracer | null,
  { id, tenantId, workflowId, trace }: Execution,
  { def, path }: PreparedStep,
  { attempt, startedAt }: { readonly attempt: number; readonly startedAt: number },
): StepSpan | null {
  if (tracer === null || trace === undefined) return null;
  const context = tracer.begin(spanOfRun(trace));
  return {
    traceparent: traceparentOf(context),
    end(outcome, endedAt) {
      tracer.end({
        context,
        parentSpanId: trace.span,
        name: def.type,
        kind: 'internal',
        startedAt,
        endedAt,
        attributes: {
          'everstep.step.id': def.id,
          'everstep.step.path': path,
          'everstep.step.attempt': attempt,
          'everstep.step.outcome': outcome?.kind ?? 'aborted',
          'everstep.execution.id': id,
          'everstep.workflow.id': workflowId,
          'everstep.tenant.id': tenantId,
        },
        // By its code: a message may hold what only the tenant may see.
        error: outcome?.kind === 'fail' ? outcome.error.code : null,
      });
    },
  };
}

/** The name under which a trace is handed on; what a step says of it by itself goes before ours. */
const HEADER = 'traceparent';

/** The headers of a request, with the trace that it is a part of. */
export function traced(
  headers: Readonly<Record<string, string>> | undefined,
  span: StepSpan | null,
): { headers?: Record<string, string> } {
  if (span === null || Object.keys(headers ?? {}).some((name) => name.toLowerCase() === HEADER)) return {};
  return { headers: { ...headers, [HEADER]: span.traceparent } };
}
