import type { JsonObject } from '../../lib/json';
import type { NodeContext, Outcome } from '../contract';
import { defineNode } from '../contract/define';
import { anyValue, choice, filledText, flag, objectSchema, outputOf, text } from '../schema';

/** Returns the workflow to start; the runtime starts it and waits. */
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
  // The runtime records the intent and starts the workflow.
  effect: 'pure',
  input: objectSchema(
    {
      workflow: filledText('ID or name of the workflow.', 'order-intake', { maxLength: 200 }),
      input: {
        type: 'object',
        title: 'Input',
        description: 'Available to the workflow as `trigger`. Secrets are masked.',
      },
      wait: flag('False: the step completes once the workflow has started.', {
        title: 'Wait for completion',
        default: true,
      }),
    },
    ['workflow'],
  ),
  output: outputOf(
    {
      execution_id: text('ID of the execution.', { title: 'Execution' }),
      status: choice(['completed', 'running'], '`running` if the step did not wait.'),
      output: anyValue('Output of the workflow, if the step waited.'),
    },
    ['execution_id', 'status'],
  ),
  run,
});
