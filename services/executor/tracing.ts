import { parseTraceparent, type Tracer } from '../../lib/tracing';
import { spanOfRun } from '../../runtime/execution/tracing';
import type { Ending, Execution, RunTrace } from '../../runtime/core/model';

/** The trace of a new run: that of the caller, or a new one. Absent without a tracer. */
export function traceOfRun(tracer: Tracer, traceparent: string | null): { trace: RunTrace } {
  const parent = parseTraceparent(traceparent);
  const { traceId, spanId, sampled } = tracer.begin(parent);
  return { trace: { id: traceId, span: spanId, parent: parent?.spanId ?? null, sampled } };
}

/** The run has ended here: from its start on, wherever it was. */
export function traceEnd(tracer: Tracer | null, execution: Execution, ending: Ending): void {
  const { trace } = execution;
  if (tracer === null || trace === undefined) return;
  tracer.end({
    context: spanOfRun(trace),
    parentSpanId: trace.parent,
    name: 'execution',
    kind: 'internal',
    startedAt: execution.startedAt,
    endedAt: ending.endedAt,
    attributes: {
      'everstep.execution.id': execution.id,
      'everstep.execution.status': ending.status,
      'everstep.trigger.type': execution.triggerType,
      'everstep.workflow.id': execution.workflowId,
      'everstep.tenant.id': execution.tenantId,
      'everstep.request.id': execution.requestId ?? undefined,
      'everstep.parent.execution.id': execution.parent?.executionId,
    },
    error: ending.status === 'failed' ? (ending.error?.code ?? 'failed') : null,
  });
}
