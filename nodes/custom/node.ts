import { randomBytes } from 'node:crypto';
import {
  type EvaluationContext,
  ExpressionError,
  compileTemplate,
  renderSliced,
  type Template,
  templateRefs,
} from '../../dsl';
import type { Json, JsonObject } from '../../lib/json';
import type { NodeContext, NodeType, Outcome } from '../contract';
import { httpRequestNode as httpRequest } from '../http/http-request';
import type { HttpRequestInput } from '../http/http-request/request';
import { send } from '../http/http-request';
import { done, failFinally, invalidConfig } from '../outcome';
import { objectSchema } from '../schema';
import type { CustomNode } from './definition';
import { configOf, inputSchema, toolParameters } from './fields';
import { outputsOf } from './outputs';
import { requestFaults } from './request';

/** The node type that a definition makes. It is a request of `http_request`, with the same verdict on its answer. */
export function customNode(node: CustomNode): NodeType {
  const request = compileTemplate(node.request);
  const { secrets } = templateRefs(request);
  const { method } = node.request;
  const description = node.description === '' ? node.label : node.description;
  return {
    type: node.type,
    version: node.version,
    title: node.label,
    description,
    category: 'Custom',
    effect:
      typeof httpRequest.effect === 'function' ? httpRequest.effect({ method: method ?? 'GET' }) : httpRequest.effect,
    onInterrupted: httpRequest.onInterrupted,
    input: inputSchema(node.config_fields),
    output:
      node.outputs.length === 0
        ? httpRequest.output
        : objectSchema(
            Object.fromEntries(node.outputs.map(({ name }) => [name, { title: name }])),
            node.outputs.map(({ name }) => name),
          ),
    ...(node.kind === 'tool'
      ? { tool: { name: node.type, description, parameters: toolParameters(node.config_fields) } }
      : {}),
    secrets,
    run: (ctx) => run(node, request, secrets, ctx),
  };
}

async function run(
  node: CustomNode,
  request: Template,
  secrets: readonly string[],
  ctx: NodeContext,
): Promise<Outcome> {
  const env = environment(configOf(node.config_fields, ctx.input), await ctx.secrets(secrets), ctx);
  let config: Json;
  try {
    config = await renderSliced(ctx.capabilities.compute, request, env);
  } catch (fault) {
    if (!(fault instanceof ExpressionError)) throw fault;
    return failFinally('expression', ctx.redact(`The request of ${node.type} cannot be made: ${fault.message}`));
  }
  const [fault] = requestFaults(config);
  if (fault !== undefined)
    return invalidConfig(ctx.redact(`The request of ${node.type}: ${fault.path} ${fault.message}`));
  // It has just been checked against the schema of that input.
  const outcome = await send(config as unknown as HttpRequestInput, ctx);
  return outcome.kind === 'done' && node.outputs.length > 0 ? done(outputsOf(node.outputs, outcome.output)) : outcome;
}

/** Variables of the templates of a definition. */
function environment(
  config: JsonObject,
  secret: Readonly<Record<string, string>>,
  ctx: NodeContext,
): EvaluationContext {
  return {
    root(name) {
      switch (name) {
        case 'config':
          return config;
        case 'secret':
          return { ...secret };
        case 'trigger':
        case 'steps':
        case 'loop':
          return ctx.run()[name];
        case 'cursor':
          // A step is not polled.
          return null;
        default:
          return undefined;
      }
    },
    now: ctx.now,
    random: (bytes) => randomBytes(bytes),
  };
}
