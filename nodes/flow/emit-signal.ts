import { EgressError } from '../../lib/egress';
import type { JsonObject } from '../../lib/json';
import { bounded } from '../bounded';
import type { EmittedSignal, NodeContext, Outcome } from '../contract';
import { defineNode } from '../contract/define';
import { done, failConnection } from '../outcome';
import { objectSchema } from '../schema';

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
    workflow_id: { type: 'string', title: 'Workflow', description: 'ID of the workflow.' },
    execution_id: { type: 'string', title: 'Execution', description: 'ID of the run.' },
  },
  ['workflow_id', 'execution_id'],
);

const REFUSED = objectSchema(
  {
    workflow_id: { type: 'string', title: 'Workflow', description: 'ID of the workflow.' },
    code: { type: 'string', title: 'Code', description: 'Error code.' },
    message: { type: 'string', title: 'Message', description: 'Error message.' },
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
      signal: {
        type: 'string',
        title: 'Signal',
        description: 'Name of the signal.',
        minLength: 1,
        maxLength: 200,
        pattern: '^[^$]',
        examples: ['payment-received'],
      },
      execution_id: {
        type: 'string',
        title: 'Execution',
        description: 'ID of the run that receives it. Default: starts workflows with a trigger of type `signal`.',
        minLength: 1,
        maxLength: 100,
        examples: ['{{ trigger.execution_id }}'],
      },
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
      signal: { type: 'string', title: 'Signal', description: 'Name of the signal.' },
      started: { type: 'array', title: 'Started', description: 'Runs that were started.', items: STARTED },
      refused: {
        type: 'array',
        title: 'Refused',
        description: 'Workflows that could not be started.',
        items: REFUSED,
      },
    },
    ['signal', 'started', 'refused'],
  ),
  run,
});
