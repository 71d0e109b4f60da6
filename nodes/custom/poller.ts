import { randomBytes } from 'node:crypto';
import {
  compileTemplate,
  type EvaluationContext,
  ExpressionError,
  renderSliced,
  type Template,
  templateRefs,
} from '../../dsl';
import { ComputeError } from '../../lib/compute';
import { EgressError } from '../../lib/egress';
import { parseFieldPath, valueAt } from '../../lib/field-path';
import { hashJson, isObject, type Json, type JsonObject } from '../../lib/json';
import { compileSchema } from '../../lib/json-schema';
import { buildRequest, type HttpRequestInput } from '../http/http-request/request';
import { redactingAlso } from '../redaction';
import type { Polled, Poller, PollItem, PollContext } from '../pollers/contract';
import { misconfigured, PollFault, statusFault, unreadable } from '../pollers/fault';
import { ITEM_KEY, itemsOf, MAX_ITEMS } from '../pollers/list';
import { parseJsonBytes } from '../pollers/page';
import type { CustomNode, PollPaths } from './definition';
import { configOf, inputSchema } from './fields';
import { itemOutputs, parseOutputPath } from './outputs';
import { requestFaults } from './request';

/** Maximum number of pages of existing items that are read after a trigger is created. */
const MAX_PAGES = 1_000;
const MAX_CURSOR_LENGTH = 2_000;
const DEFAULT_PATHS: PollPaths = { items: null, id: null, cursor: null };

type Cursor = string | number;

/** The state between polls. */
interface CursorState {
  /** The cursor of the next request. */
  readonly value: Cursor | null;
  /** While existing items are read: the number of pages, and a hash of the items of the last one. */
  readonly reading: { readonly pages: number; readonly last: string } | null;
}

/** The source that a custom node of the kind `trigger` describes: one request a poll, and the items of its answer. */
export function customPoller(node: CustomNode): Poller {
  const request = compileTemplate(node.request);
  return { type: node.type, poll: (context) => poll(node, request, context) };
}

async function poll(
  node: CustomNode,
  request: Template,
  context: PollContext,
): Promise<Extract<Polled, { kind: 'items' }>> {
  const paths = node.poll ?? DEFAULT_PATHS;
  const state = stateOf(context.cursor);
  const answer = await ask(await requestOf(node, request, context, state?.value ?? null), context);
  const list = listIn(answer, paths);
  const key = paths.id === null ? ITEM_KEY : { text: paths.id, path: parseFieldPath(paths.id) ?? [] };
  const outputs = itemOutputs(node.outputs);
  const items = await itemsOf(list, key, (id, item) => ({ id, item, ...outputs(item) }));
  const next = cursorIn(answer, paths);
  const value = next ?? state?.value ?? null;
  const moved = items.length > 0 && value !== (state?.value ?? null);
  const existing = state === null || state.reading !== null;
  if (!existing) {
    const more = moved && items.some(({ id }) => !context.known(id));
    return { kind: 'items', items, cursor: { value, reading: null }, more };
  }
  const reading = moved ? readingOf(items, state) : null;
  const cursor = { value, reading: reading === null ? null : { ...reading } };
  return { kind: 'items', items, cursor, more: reading !== null, existing };
}

/** The request of a poll, with values inserted. @throws PollFault */
async function requestOf(
  { type, config_fields: fields }: CustomNode,
  request: Template,
  context: PollContext,
  cursor: Cursor | null,
): Promise<HttpRequestInput> {
  const schema = compileSchema(inputSchema(fields));
  const [misfit] = schema.kind === 'usable' ? schema.check(context.config, 'config') : schema.faults;
  if (misfit !== undefined) throw misconfigured(`${misfit.path} ${misfit.message}`);
  const roots: JsonObject = {
    config: configOf(fields, context.config),
    secret: { ...(await context.secrets(templateRefs(request).secrets)) },
    cursor,
  };
  const env: EvaluationContext = {
    root: (name) => (Object.hasOwn(roots, name) ? roots[name] : undefined),
    now: context.now,
    random: (bytes) => randomBytes(bytes),
  };
  const made = await renderSliced(context.compute, request, env).catch((thrown: unknown) => {
    const retryable = thrown instanceof ComputeError && thrown.retryable;
    if (thrown instanceof ExpressionError || thrown instanceof ComputeError)
      throw new PollFault('expression', `the request of ${type} cannot be made: ${thrown.message}`, retryable);
    throw thrown;
  });
  const [fault] = requestFaults(made);
  if (fault !== undefined) throw misconfigured(`the request of ${type}: ${fault.path} ${fault.message}`);
  // It has just been checked against the schema of that input.
  return made as unknown as HttpRequestInput;
}

/** The answer as paths see it. @throws PollFault */
async function ask(config: HttpRequestInput, { http, signal, now }: PollContext): Promise<JsonObject> {
  const plan = buildRequest(config, { signal });
  if (plan.kind === 'refuse') throw misconfigured(plan.problem);
  const response = await http.request(plan.request).catch((thrown: unknown) => {
    if (!(thrown instanceof EgressError)) throw thrown;
    const mask = redactingAlso((text) => text, plan.hidden);
    throw new PollFault(`source_${thrown.kind}`, mask(thrown.message), thrown.retryable);
  });
  const fault = statusFault(response, now);
  if (fault !== null) throw fault;
  const { status, headers } = response;
  return { status, headers, body: await parseJsonBytes(response.body, 'the response') };
}

function listIn(answer: JsonObject, { items, cursor }: PollPaths): Json[] {
  const list = items === null ? answer.body : valueAt(answer, parseOutputPath(items) ?? []);
  if (!Array.isArray(list))
    throw unreadable(`${items === null ? 'the response' : `"${items}" of the response`} is not a list`);
  // The cursor would go past those that are not read.
  if (cursor !== null && list.length > MAX_ITEMS)
    throw new PollFault('too_many', `a page has more than ${MAX_ITEMS} items; ask for smaller pages`, false);
  return list;
}

/** The cursor in a response; null if there is none. */
function cursorIn(answer: JsonObject, { cursor: path }: PollPaths): Cursor | null {
  const found = path === null ? null : (valueAt(answer, parseOutputPath(path) ?? []) ?? null);
  if (found === null || found === '') return null;
  if ((typeof found === 'string' || typeof found === 'number') && String(found).length <= MAX_CURSOR_LENGTH)
    return found;
  throw unreadable(
    `"${path}" of the response is not a cursor: it must be text of up to ${MAX_CURSOR_LENGTH} characters, or a number`,
  );
}

/** The state after a page of existing items; null if that page was read before. */
function readingOf(items: readonly PollItem[], state: CursorState | null): CursorState['reading'] {
  const last = hashJson(items.map(({ id }) => id));
  const { pages, last: before } = state?.reading ?? { pages: 0, last: '' };
  if (last === before) return null;
  if (pages >= MAX_PAGES)
    throw new PollFault(
      'too_many',
      `more than ${MAX_PAGES} pages are there already; let the first request, whose cursor is null, begin later`,
      false,
    );
  return { pages: pages + 1, last };
}

/** Null for the first poll. */
function stateOf(cursor: Json): CursorState | null {
  if (!isObject(cursor)) return null;
  const { value, reading } = cursor;
  return {
    value: typeof value === 'string' || typeof value === 'number' ? value : null,
    reading: isObject(reading) ? { pages: Number(reading.pages), last: String(reading.last) } : null,
  };
}
