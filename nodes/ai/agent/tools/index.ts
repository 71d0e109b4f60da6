import type { NodeContext, Outcome } from '../../../contract';
import { failFinally, invalidConfig } from '../../../outcome';
import { Citations } from '../citations';
import type { ToolInput } from '../input';
import { McpFault, McpServer } from '../mcp';
import { unfitType } from './kinds';
import { knowledgeTool } from './knowledge-tool';
import { mcpTools } from './mcp-tools';
import { nodeTool } from './node-tool';
import { type Tool, approvalOf, parametersFor } from './tool';

/** The input schema of a tool without one. */
const ANY_INPUT = { type: 'object', additionalProperties: true };

/** Another workflow of the tenant as a tool: it is started with the model's input, and its output is the result. */
function workflowTool(given: ToolInput & { workflow: string; name: string }): Tool {
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

/** The tools of an agent for one attempt, by the names that its model knows them by. */
export interface Toolbox {
  readonly kind: 'tools';
  readonly tools: ReadonlyMap<string, Tool>;
  /** Sources of lookups; null if there are none. */
  readonly citations: Citations | null;
  /** Closes connections that the tools opened. */
  close(): Promise<void>;
}

/** The tools that the step's input lists, beside those that it has anyway (`own`); or why the step fails. */
export async function openToolbox(
  ctx: NodeContext,
  given: readonly ToolInput[],
  own: readonly Tool[] = [],
): Promise<Toolbox | Outcome> {
  const servers: McpServer[] = [];
  const citations = new Citations();
  const tools = new Map(own.map((tool) => [tool.name, tool]));
  for (const [index, entry] of given.entries()) {
    const made = await toolsOf(ctx, entry, index + 1, servers, citations);
    if (!Array.isArray(made)) return made;
    for (const tool of made) {
      if (tools.has(tool.name)) return invalidConfig(`"tools": two are called ${tool.name}; give one another "name"`);
      tools.set(tool.name, tool);
    }
  }
  const close = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.close()));
  };
  const looksUp = given.some(({ type }) => type === 'knowledge_base');
  return { kind: 'tools', tools, citations: looksUp ? citations : null, close };
}

async function toolsOf(
  ctx: NodeContext,
  entry: ToolInput,
  number: number,
  servers: McpServer[],
  citations: Citations,
): Promise<Tool[] | Outcome> {
  if (entry.type === 'workflow') {
    const { workflow, name } = entry;
    if (workflow === undefined || name === undefined)
      return invalidConfig('"tools": a workflow needs its id or name in "workflow", and a "name"');
    return [workflowTool({ ...entry, workflow, name })];
  }
  if (entry.type === 'knowledge_base') {
    const { knowledge_base } = entry;
    if (knowledge_base === undefined) return invalidConfig('"tools": a knowledge base needs its id or name');
    return [knowledgeTool({ ...entry, knowledge_base }, citations)];
  }
  if (entry.type === 'mcp') {
    const { url } = entry;
    if (url === undefined || !/^https?:/.test(url) || !URL.canParse(url))
      return invalidConfig('"tools": a server needs its "url", http or https');
    return toolsOfServer(ctx, { ...entry, url }, number, servers);
  }
  const node = await ctx.nodeType(entry.type);
  const unfit = node === undefined ? `there is no step type ${entry.type}` : unfitType(node.type);
  return node === undefined || unfit !== null ? invalidConfig(`"tools": ${unfit}`) : [nodeTool(node, entry)];
}

async function toolsOfServer(
  ctx: NodeContext,
  entry: ToolInput & { url: string },
  number: number,
  servers: McpServer[],
): Promise<Tool[] | Outcome> {
  const server = new McpServer(entry.url, entry.headers ?? {}, ctx);
  servers.push(server);
  try {
    const tools = await mcpTools(ctx, entry, server, `mcp-${number}/tools`);
    return Array.isArray(tools) ? tools : failFinally('mcp_tools', ctx.redact(tools.problem));
  } catch (fault) {
    if (!(fault instanceof McpFault)) throw fault;
    const message = ctx.redact(`the tools of ${entry.url} cannot be listed: ${fault.message}`);
    return { kind: 'fail', error: { code: 'mcp_unavailable', message }, retryable: fault.retryable };
  }
}
