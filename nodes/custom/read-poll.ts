import { compileTemplate, ExpressionError, templateRefs } from '../../dsl';
import type { ErrorDetail } from '../../lib/errors';
import { parseFieldPath } from '../../lib/field-path';
import type { JsonObject } from '../../lib/json';
import type { CustomNodeDefinition, PollPaths } from './definition';
import { parseOutputPath } from './outputs';

const NOT_A_PATH = 'is not a path';
const IN_ANSWER = "write body.data.items, data.items, $ for the whole body, or headers['x-next']";

/** Faults in the polling settings. `poll` is the submitted value; a tool has none. */
export function pollFaults(
  definition: CustomNodeDefinition,
  { poll: given }: { readonly poll?: Partial<PollPaths> | null },
): ErrorDetail[] {
  const { poll, config_fields: fields } = definition;
  if (poll === undefined) {
    const hint = 'set "kind" to "trigger", or leave it out';
    return given === undefined || given === null ? [] : [{ path: 'poll', message: 'is for a trigger', hint }];
  }
  const faults: ErrorDetail[] = [];
  for (const name of ['items', 'cursor'] as const) {
    const path = poll[name];
    if (path !== null && parseOutputPath(path) === null)
      faults.push({ path: `poll.${name}`, message: NOT_A_PATH, hint: IN_ANSWER });
  }
  if (poll.id !== null && parseFieldPath(poll.id) === null)
    faults.push({ path: 'poll.id', message: NOT_A_PATH, hint: 'write the way from an item to it, such as order.id' });
  const every = fields.findIndex(({ name }) => name === 'every');
  if (every !== -1)
    faults.push({ path: `config_fields[${every}].name`, message: '"every" is the interval of the trigger' });
  return [...faults, ...cursorFaults(definition.request, poll)];
}

/** A cursor has to come from somewhere, and to go somewhere. */
function cursorFaults(request: JsonObject, { cursor }: PollPaths): ErrorDetail[] {
  const used = usesCursor(request);
  if (used === null || used === (cursor !== null)) return [];
  return used
    ? [{ path: 'poll.cursor', message: 'is required, because the request uses {{ cursor }}' }]
    : [{ path: 'poll.cursor', message: 'has no use: the request does not use {{ cursor }}' }];
}

/** Null for a template that cannot be read, which is a fault by itself. */
function usesCursor(request: JsonObject): boolean | null {
  try {
    return templateRefs(compileTemplate(request)).roots.includes('cursor');
  } catch (fault) {
    if (fault instanceof ExpressionError) return null;
    throw fault;
  }
}
