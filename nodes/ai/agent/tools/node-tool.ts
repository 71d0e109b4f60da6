import type { NodeContext, NodeType, Outcome } from '../../../contract';
import type { ToolInput } from '../input';
import { toolDone, toolFailed } from '../result';
import { approvalOf, parametersFor, type Tool, type ToolUse } from './tool';

/** A step type as a tool. Members that the author fixed in `config` are hidden from the model. */
export function nodeTool(node: NodeType, given: ToolInput): Tool {
  const { config = {} } = given;
  const { tool } = node;
  return {
    name: given.name ?? tool?.name ?? node.type,
    description: given.description ?? tool?.description ?? node.description,
    parameters: parametersFor(tool?.parameters ?? node.input, config),
    approval: approvalOf(given.approval),
    repeatable: node.onInterrupted === 'retry',
    checkedBy: node.input,
    fixed: config,
    use: async (ctx, part, input) => useNode(node, ctx.within(part, { ...input, ...config })),
  };
}

async function useNode(node: NodeType, ctx: NodeContext): Promise<ToolUse> {
  const outcome = await node.run(ctx);
  switch (outcome.kind) {
    case 'wait':
    case 'start_child':
      return { kind: 'pause', outcome };
    case 'done':
      return {
        kind: 'result',
        result: toolDone(outcome.output),
        ...(outcome.usage === undefined ? {} : { usage: outcome.usage }),
      };
    case 'fail':
      return { kind: 'result', result: toolFailed(outcome.error.code, failureAdvice(outcome)) };
    case 'stop':
      return { kind: 'result', result: toolFailed('not_usable', 'this step type ends runs, and is no tool') };
  }
}

/** A failure as the model gets it. */
export const failureAdvice = ({ error, retryable }: Extract<Outcome, { kind: 'fail' }>): string =>
  retryable ? `${error.message} (trying again later may help)` : error.message;
