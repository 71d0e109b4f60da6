import type { ToolInput } from '../input';
import { approvalOf, parametersFor, type Tool } from './tool';

/** What an input may be when the author says nothing about it. */
const ANY_INPUT = { type: 'object', additionalProperties: true };

/** Another workflow of the tenant as a tool: it is started with the model's input, and its output is the result. */
export function workflowTool(given: ToolInput & { workflow: string; name: string }): Tool {
  const { workflow, name, description = `Runs the workflow ${workflow}.`, input_schema: schema = ANY_INPUT } = given;
  return {
    name,
    description,
    parameters: parametersFor(schema),
    approval: approvalOf(given.approval),
    // Its run is started under an id that follows from the step: a second start finds the first.
    repeatable: true,
    checkedBy: schema,
    use: async (_ctx, _part, input) => ({
      kind: 'pause',
      outcome: { kind: 'start_child', workflow, input, wait: true },
    }),
    tell: ({ output }) => output ?? null,
  };
}
