import type { JsonObject } from '../../lib/json';
import type { NodeContext, Outcome } from '../contract';
import { defineNode } from '../contract/define';
import { objectSchema } from '../schema';

/** Says what is to be started; the runtime starts it, and waits. */
function run({ input }: NodeContext): Outcome {
  // The runtime has checked the input against the input schema.
  const given = input as { workflow: string; input?: JsonObject; wait?: boolean };
  return { kind: 'start_child', workflow: given.workflow, input: given.input ?? {}, wait: given.wait ?? true };
}

export const subWorkflowNode = defineNode({
  type: 'sub_workflow',
  title: 'Sub-workflow',
  description: 'Runs another workflow, and goes on with its output when it has ended.',
  category: 'Flow',
  // It only says what to start: recording the intent and starting is the runtime's.
  effect: 'pure',
  input: objectSchema(
    {
      workflow: {
        type: 'string',
        title: 'Workflow',
        description: 'Id or name of the workflow.',
        minLength: 1,
        maxLength: 200,
        examples: ['order-intake'],
      },
      input: {
        type: 'object',
        title: 'Input',
        description: 'What the workflow sees as `trigger`. Secrets are masked in it.',
      },
      wait: {
        type: 'boolean',
        title: 'Wait for its end',
        description: 'False: the step is complete once the workflow has started.',
        default: true,
      },
    },
    ['workflow'],
  ),
  output: {
    type: 'object',
    properties: {
      execution_id: { type: 'string', title: 'Execution', description: 'Id of the execution that was started.' },
      status: {
        type: 'string',
        title: 'Status',
        description: '`running` when the step did not wait for its end.',
        enum: ['completed', 'running'],
      },
      output: { title: 'Output', description: 'What the workflow returned; only when it was waited for.' },
    },
    required: ['execution_id', 'status'],
  },
  run,
});
