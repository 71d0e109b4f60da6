import { type TraceContext, type Tracer, traceparentOf } from '../../lib/tracing';
import type { PreparedStep } from '../../dsl';
import type { AttemptResult } from '../core/decide/event';
import type { Execution, RunTrace } from '../core/model';

/** The span of a run as a whole. */
export const spanOfRun = ({ id, span, sampled }: RunTrace): TraceContext => ({ traceId: id, spanId: span, sampled });

/** The span of one attempt of a step; null without tracing. */
export interface StepSpan {
  /** For services that the step calls. */
  readonly traceparent: string;
  /** `outcome`: null when the attempt was aborted. */
  end(outcome: AttemptResult | null, endedAt: number): void;
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
        // The code only: a message may contain data of the tenant.
        error: outcome?.kind === 'fail' ? outcome.error.code : null,
      });
    },
  };
}

/** The trace header; one that the step sets itself takes precedence. */
const HEADER = 'traceparent';

/** The headers of a request, with its trace. */
export function traced(
  headers: Readonly<Record<string, string>> | undefined,
  span: StepSpan | null,
): { headers?: Record<string, string> } {
  if (span === null || Object.keys(headers ?? {}).some((name) => name.toLowerCase() === HEADER)) return {};
  return { headers: { ...headers, [HEADER]: span.traceparent } };
}
