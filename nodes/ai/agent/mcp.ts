import type { CallToolResult, Client as McpClient, jsonSchemaValidator } from '@modelcontextprotocol/client';
import { EgressError } from '../../../lib/egress';
import { errorMessage } from '../../../lib/errors';
import { fetchAdapter } from '../../../lib/fetch-adapter';
import type { Json, JsonObject } from '../../../lib/json';
import { compileSchema } from '../../../lib/json-schema';
import { sliceWork } from '../../../lib/compute';
import type { NodeContext } from '../../contract';
import { listed } from '../structured';
import { type ToolResult, toolDone, toolFailed } from './result';

/** A tool as a server describes it. Plain JSON: it is recorded. */
export interface McpTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonObject;
  /** The server declares the tool as idempotent. */
  readonly repeatable: boolean;
}

/** A failed request to an MCP server, and whether it is retryable. */
export class McpFault extends Error {
  constructor(
    message: string,
    readonly retryable: boolean,
  ) {
    super(message);
  }
}

/** The step's own timeout ends a use earlier. */
const TIMEOUT_MS = 15 * 60_000;

const MAX_DESCRIPTION_CHARS = 2_000;

/**
 * A server of tools that speaks MCP over streamable HTTP, for one attempt of a step. It connects when it is first
 * needed. Messages that a server sends of its own accord are not listened for.
 */
export class McpServer {
  #connected: Promise<McpClient> | null = null;
  #leave = async (): Promise<void> => {};

  constructor(
    private readonly url: string,
    private readonly headers: Readonly<Record<string, string>>,
    private readonly ctx: Pick<NodeContext, 'http' | 'signal' | 'redact'>,
  ) {}

  /** @throws McpFault */
  async list(): Promise<McpTool[]> {
    try {
      const { tools } = await (await this.#client()).listTools({}, this.#options());
      return tools.map(({ name, description = '', inputSchema, annotations = {} }) => ({
        name,
        description: description.slice(0, MAX_DESCRIPTION_CHARS),
        // It has come as JSON.
        parameters: inputSchema as unknown as JsonObject,
        repeatable: annotations.readOnlyHint === true || annotations.idempotentHint === true,
      }));
    } catch (fault) {
      throw this.#faultOf(fault);
    }
  }

  /** The model gets an error for a server that cannot be called, as for an input that a tool refuses. */
  async call(name: string, input: JsonObject): Promise<ToolResult> {
    try {
      const client = await this.#client();
      return resultOf(await client.callTool({ name, arguments: input }, this.#options()));
    } catch (fault) {
      return toolFailed('mcp_error', this.#faultOf(fault).message);
    }
  }

  /** Lets the server forget the session. A server that does not hear it forgets by itself. */
  async close(): Promise<void> {
    if (this.#connected === null || this.ctx.signal.aborted) return;
    await this.#leave().catch(() => undefined);
  }

  #options() {
    return { signal: this.ctx.signal, timeout: TIMEOUT_MS };
  }

  #client(): Promise<McpClient> {
    this.#connected ??= this.#connect();
    return this.#connected;
  }

  async #connect(): Promise<McpClient> {
    // Loaded when first wanted: it takes a fifth of a second.
    const { Client, StreamableHTTPClientTransport } =
      require('@modelcontextprotocol/client') as typeof import('@modelcontextprotocol/client');
    const client = new Client(
      { name: 'everstep', version: '1' },
      { versionNegotiation: { mode: 'auto' }, jsonSchemaValidator: VALIDATOR },
    );
    const transport = new StreamableHTTPClientTransport(new URL(this.url), {
      requestInit: { headers: { ...this.headers } },
      // A stream of the server's own messages would never end; a server may refuse it, so ours are refused for it.
      fetch: fetchAdapter(this.ctx.http, {
        intercept: (method) => (method === 'GET' ? new Response(null, { status: 405 }) : undefined),
      }),
    });
    await client.connect(transport, this.#options());
    this.#leave = async () => {
      if (transport.sessionId !== undefined) await transport.terminateSession();
      await client.close();
    };
    return client;
  }

  #faultOf(fault: unknown): McpFault {
    for (let cause = fault, depth = 0; depth < 8 && cause instanceof Error; cause = cause.cause, depth++) {
      if (cause instanceof EgressError) return new McpFault(this.ctx.redact(cause.message), cause.retryable);
    }
    const status = statusOf(fault);
    const retryable = status === undefined || status === 408 || status === 429 || status >= 500;
    return new McpFault(this.ctx.redact(errorMessage(fault)).slice(0, 500), retryable);
  }
}

/** The HTTP status that an error of the library carries. */
function statusOf(fault: unknown): number | undefined {
  const status = typeof fault === 'object' && fault !== null && 'status' in fault ? fault.status : undefined;
  return typeof status === 'number' ? status : undefined;
}

/** The library's validators are synchronous, so a check cannot move to a compute thread; a longer one is a fault. */
const MAX_CHECK_MS = 30;

/** Schemas of servers are interpreted, as those of users are: the library's own validator would compile them to code. */
const VALIDATOR: jsonSchemaValidator = {
  getValidator:
    <T>(schema: unknown) =>
    (input: unknown) => {
      const checked = sliceWork(() => {
        const compiled = compileSchema(schema, 'ignore');
        return compiled.kind === 'usable' ? compiled.check(input as Json) : compiled.faults;
      }, MAX_CHECK_MS);
      const faults = checked.kind === 'done' ? checked.value : [{ path: '', message: 'takes too long to check' }];
      return faults.length === 0
        ? { valid: true as const, data: input as T, errorMessage: undefined }
        : { valid: false as const, data: undefined, errorMessage: listed(faults) };
    },
};

function resultOf({ content, structuredContent, isError }: CallToolResult): ToolResult {
  const text = content.map(textOf).join('\n');
  if (isError === true) return toolFailed('tool_error', text.slice(0, 5_000) || 'the tool failed without a word');
  return toolDone(structuredContent === undefined ? { text } : (structuredContent as JsonObject));
}

/** The text of a piece of content; for other content, a description of its type. */
function textOf(part: CallToolResult['content'][number]): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'resource':
      return 'text' in part.resource ? part.resource.text : `[${part.resource.uri}]`;
    case 'resource_link':
      return `[${part.uri}]`;
    default:
      return `[${part.type}: ${part.mimeType}]`;
  }
}
