import type { NodeManifest } from '../../manifest';
import { objectSchema } from '../../schema';

const STARTED = objectSchema(
  {
    workflow_id: { type: 'string', title: 'Workflow', description: 'Id of the workflow.' },
    execution_id: { type: 'string', title: 'Execution', description: 'Id of its run.' },
  },
  ['workflow_id', 'execution_id'],
);

const REFUSED = objectSchema(
  {
    workflow_id: { type: 'string', title: 'Workflow', description: 'Id of the workflow.' },
    code: { type: 'string', title: 'Code', description: 'Why, in one word.' },
    message: { type: 'string', title: 'Message', description: 'Why, in words.' },
  },
  ['workflow_id', 'code', 'message'],
);

export const manifest: NodeManifest = {
  type: 'emit_signal',
  version: 1,
  title: 'Send signal',
  description:
    'Sends a signal: to a run that waits for it, or to all workflows of the tenant that begin by a signal of this name.',
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
        description: 'Id of the run that gets it; without it, workflows with a trigger of type `signal` begin.',
        minLength: 1,
        maxLength: 100,
        examples: ['{{ trigger.execution_id }}'],
      },
      data: {
        type: 'object',
        title: 'Data',
        description: 'What the signal carries. Secrets are masked in it.',
        default: {},
        examples: [{ amount: 12 }],
      },
    },
    ['signal'],
  ),
  output: objectSchema(
    {
      signal: { type: 'string', title: 'Signal', description: 'Name of the signal.' },
      started: { type: 'array', title: 'Started', description: 'Runs that began by it.', items: STARTED },
      refused: {
        type: 'array',
        title: 'Refused',
        description: 'Workflows that begin by it, but cannot now.',
        items: REFUSED,
      },
    },
    ['signal', 'started', 'refused'],
  ),
};
