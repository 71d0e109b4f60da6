import type { Json } from '../../../../lib/json';
import type { NodeContext } from '../../../contract';
import type { ToolInput } from '../input';
import type { McpServer, McpTool } from '../mcp';
import { approvalOf, parametersFor, type Tool } from './tool';

/** More would fill a model's memory before the first word. */
const MAX_TOOLS = 100;

/** Servers name tools as they like; models take letters, digits, - and _, at most 64. */
const nameFor = (prefix: string | undefined, name: string): string =>
  `${prefix === undefined ? '' : `${prefix}_`}${name}`
    .replace(/[^\w-]/g, '_')
    .replace(/^(?![A-Za-z_])/, '_')
    .slice(0, 64);

/**
 * The allowed tools of an MCP server, as listed at the first attempt, for later attempts too. `part` is the sub-step of the
 * list. Returns the problem, if there is one. @throws McpFault
 */
export async function mcpTools(
  ctx: NodeContext,
  given: ToolInput & { url: string },
  server: McpServer,
  part: string,
): Promise<Tool[] | { problem: string }> {
  const recorded = await ctx.once(part, async () => ({ value: (await server.list()) as unknown as Json }));
  // Written by the line above.
  const offered = recorded as unknown as McpTool[];
  const { allow } = given;
  const missing = allow?.filter((name) => !offered.some((tool) => tool.name === name)) ?? [];
  if (missing.length > 0) return { problem: `${given.url} has no tool ${missing.join(', ')}` };
  const chosen = allow === undefined ? offered : offered.filter(({ name }) => allow.includes(name));
  if (chosen.length > MAX_TOOLS) {
    return { problem: `${given.url} has ${chosen.length} tools; name those that are wanted in "allow"` };
  }
  return chosen.map((tool) => toolOf(tool, given, server));
}

function toolOf(tool: McpTool, given: ToolInput, server: McpServer): Tool {
  return {
    name: nameFor(given.name, tool.name),
    description: tool.description,
    parameters: parametersFor(tool.parameters),
    approval: approvalOf(given.approval),
    repeatable: tool.repeatable,
    checkedBy: tool.parameters,
    use: async (_ctx, _part, input) => ({ kind: 'result', result: await server.call(tool.name, input) }),
  };
}
