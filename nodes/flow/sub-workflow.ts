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
  description: 'Runs another workflow and returns its output.',
  category: 'Flow',
  // It only says what to start: recording the intent and starting is the runtime's.
  effect: 'pure',
  input: objectSchema(
    {
      workflow: {
        type: 'string',
        title: 'Workflow',
        description: 'ID or name of the workflow.',
        minLength: 1,
        maxLength: 200,
        examples: ['order-intake'],
      },
      input: {
        type: 'object',
        title: 'Input',
        description: 'Available to the workflow as `trigger`. Secrets are masked.',
      },
      wait: {
        type: 'boolean',
        title: 'Wait for completion',
        description: 'False: the step completes once the workflow has started.',
        default: true,
      },
    },
    ['workflow'],
  ),
  output: {
    type: 'object',
    properties: {
      execution_id: { type: 'string', title: 'Execution', description: 'ID of the execution.' },
      status: {
        type: 'string',
        title: 'Status',
        description: '`running` if the step did not wait.',
        enum: ['completed', 'running'],
      },
      output: { title: 'Output', description: 'Output of the workflow, if the step waited.' },
    },
    required: ['execution_id', 'status'],
  },
  run,
});
