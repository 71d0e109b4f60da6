import { isObject, type Json, jsonSize } from '../../../lib/json';
import { compileSchema } from '../../../lib/json-schema';
import type { JsonSchema } from '../../../nodes/contract';
import type { ImportedAction } from '../../../nodes/connectors/imported';
import { objectSchema } from '../../../nodes/schema';
import { bodyOf, oldBodyOf } from './body';
import { actionName, uniqueName } from './names';
import { parametersOf } from './parameters';
import { membersOf, type Source, textOf } from './source';

const MAX_ACTIONS = 500;
/** Operations that cannot be taken over, after which nothing more is looked at. */
const MAX_SKIPPED = 1_000;
const MAX_PATH_CHARS = 1_000;
/** Characters of the schema of one action, and of all that are kept in detail. */
const MAX_INPUT_CHARS = 32 * 1024;
const MAX_ALL_INPUTS_CHARS = 1024 * 1024;

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const;

/** Names that a step's configuration has already. */
const TAKEN = ['connection', 'body'];

/** The operations of a document as actions, and what had to be left out, in words. */
export function actionsIn(source: Source): { actions: ImportedAction[]; left: string[] } {
  const actions: ImportedAction[] = [];
  const left: string[] = [];
  const names = new Set<string>();
  let size = 0;
  for (const [path, given] of membersOf(source.root.paths)) {
    const item = source.resolve(given);
    if (item === null) continue;
    for (const method of METHODS) {
      const operation = source.resolve(item[method.toLowerCase()]);
      if (operation === null) continue;
      const shown = `${method} ${path.slice(0, 100)}`;
      if (actions.length >= MAX_ACTIONS)
        return { actions, left: [...left, `everything from ${shown} on: ${MAX_ACTIONS} are the most`] };
      if (left.length >= MAX_SKIPPED)
        return { actions, left: [...left, `everything from ${shown} on: too many cannot be used`] };
      if (!isUsablePath(path)) {
        left.push(`${shown}: the path cannot be used`);
        continue;
      }
      source.begin();
      const action = actionOf(source, { method, path, item, operation }, names);
      if (action === null) {
        left.push(`${shown}: its body is of a kind that cannot be sent`);
        continue;
      }
      size += jsonSize(action.input as Json);
      actions.push(size > MAX_ALL_INPUTS_CHARS ? { ...action, input: loosened(action.input) } : action);
    }
  }
  return { actions, left };
}

/** Under its host, without steps upwards, and with names in its braces. */
const isUsablePath = (path: string): boolean =>
  path.length <= MAX_PATH_CHARS &&
  /^\/(?!\/)/.test(path) &&
  !/[\s\\#\p{Cc}]/u.test(path) &&
  !path.replaceAll(/\{[^{}]+\}/g, 'x').includes('{') &&
  !/(?:^|\/)(?:\.|%2e){1,2}(?:\/|\?|$)/i.test(path);

interface OperationInput {
  readonly method: (typeof METHODS)[number];
  readonly path: string;
  readonly item: Record<string, unknown>;
  readonly operation: Record<string, unknown>;
}

function actionOf(
  source: Source,
  { method, path, item, operation }: OperationInput,
  names: Set<string>,
): ImportedAction | null {
  const isOld = source.root.swagger !== undefined;
  const body = isOld
    ? oldBodyOf(source, operation.parameters, operation.consumes ?? source.root.consumes)
    : bodyOf(source, operation.requestBody);
  if (body.kind === 'unusable') return null;
  const members = parametersOf(source, item.parameters, operation.parameters, new Set(TAKEN));
  const input = Object.fromEntries([
    ...members.map(({ parameter, schema }) => [parameter.key, schema] as const),
    ...(body.kind === 'body' ? [['body', body.schema] as const] : []),
  ]);
  const required = [
    ...members.filter((member) => member.required).map(({ parameter }) => parameter.key),
    ...(body.kind === 'body' && body.required ? ['body'] : []),
  ];
  const summary = textOf(operation.summary, 200);
  const name = actionName(textOf(operation.operationId, 200)) || actionName(`${method} ${path}`) || 'operation';
  return {
    name: uniqueName(name, names),
    title: summary || `${method} ${path}`.slice(0, 200),
    description: textOf(operation.description, 1_000) || summary || `${method} ${path}`.slice(0, 200),
    method,
    path,
    parameters: members.map(({ parameter }) => parameter),
    body: body.kind === 'body' ? body.sent : null,
    input: isUsableInput(input, required) ? input : loosened(input),
    required,
  };
}

/** Small, and made of words that are understood. */
function isUsableInput(input: Readonly<Record<string, JsonSchema>>, required: readonly string[]): boolean {
  if (jsonSize(input as Json, MAX_INPUT_CHARS) > MAX_INPUT_CHARS) return false;
  return compileSchema(objectSchema(input, required)).kind === 'usable';
}

/** The same members with title and description only. */
const loosened = (input: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> =>
  Object.fromEntries(
    Object.entries(input).map(([key, { title, description }]) => [
      key,
      { title: textOf(title, 200), description: textOf(description) },
    ]),
  );

/** True if there is anything to import. */
export const hasPaths = ({ root }: Source): boolean => isObject(root.paths);
