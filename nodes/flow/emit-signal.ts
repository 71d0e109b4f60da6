import { EgressError } from '../../lib/egress';
import type { JsonObject } from '../../lib/json';
import { bounded } from '../bounded';
import type { EmittedSignal, NodeContext, Outcome } from '../contract';
import { defineNode } from '../contract/define';
import { done, failConnection } from '../outcome';
import { filledText, list, objectSchema, text } from '../schema';

/** How long one attempt waits until the signal is stored. */
const TIMEOUT_MS = 30_000;

/** Sends a signal to one run, or to all workflows of the tenant that begin by it. Sending it again changes nothing. */
async function run(ctx: NodeContext): Promise<Outcome> {
  // The runtime has checked the input against the input schema.
  const { signal, execution_id, data = {} } = ctx.input as { signal: string; execution_id?: string; data?: JsonObject };
  const sent: EmittedSignal =
    execution_id === undefined ? { signal, data } : { executionId: execution_id, signal, data };
  try {
    const answer = await bounded(ctx.signal, TIMEOUT_MS, () => ctx.emit(sent));
    if (answer.kind === 'refused') return { kind: 'fail', error: answer.error, retryable: answer.retryable };
    const { started, refused } = answer;
    return done({ signal: ctx.redact(signal), started: started.map(copy), refused: refused.map(copy) });
  } catch (fault) {
    if (!(fault instanceof EgressError)) throw fault;
    return failConnection('signal', fault, ctx.redact(`the signal "${signal}" could not be sent: ${fault.message}`));
  }
}

const copy = <T extends object>(row: T): T => ({ ...row });

const STARTED = objectSchema(
  {
    workflow_id: text('ID of the workflow.', { title: 'Workflow' }),
    execution_id: text('ID of the run.', { title: 'Execution' }),
  },
  ['workflow_id', 'execution_id'],
);

const REFUSED = objectSchema(
  {
    workflow_id: text('ID of the workflow.', { title: 'Workflow' }),
    code: text('Error code.'),
    message: text('Error message.'),
  },
  ['workflow_id', 'code', 'message'],
);

export const emitSignalNode = defineNode({
  type: 'emit_signal',
  title: 'Send signal',
  description:
    'Sends a signal to a waiting run, or starts all workflows of the tenant with a signal trigger of this name.',
  category: 'Flow',
  effect: 'write',
  // Signals carry the key of the step, by which one that has arrived is known again.
  onInterrupted: 'retry',
  input: objectSchema(
    {
      signal: filledText('Name of the signal.', 'payment-received', { maxLength: 200, pattern: '^[^$]' }),
      execution_id: filledText(
        'ID of the run that receives it. Default: starts workflows with a trigger of type `signal`.',
        '{{ trigger.execution_id }}',
        { title: 'Execution', maxLength: 100 },
      ),
      data: {
        type: 'object',
        title: 'Data',
        description: 'Payload. Secrets are masked.',
        default: {},
        examples: [{ amount: 12 }],
      },
    },
    ['signal'],
  ),
  output: objectSchema(
    {
      signal: text('Name of the signal.'),
      started: list(STARTED, 'Runs that were started.'),
      refused: list(REFUSED, 'Workflows that could not be started.'),
    },
    ['signal', 'started', 'refused'],
  ),
  run,
});
