import { validateCustomTemplate } from '../../dsl';
import type { ErrorDetail } from '../../lib/errors';
import { type Json, type JsonObject, jsonSize } from '../../lib/json';
import { compileSchema } from '../../lib/json-schema';
import { httpRequestNode as httpRequest } from '../http/http-request';
import {
  type ConfigField,
  CUSTOM_LIMITS,
  CUSTOM_PREFIX,
  type CustomNodeDefinition,
  type FieldOption,
  type FieldType,
  type PollPaths,
} from './definition';
import { valueSchema } from './fields';
import { parseItemPath, parseOutputPath } from './outputs';
import { pollFaults } from './read-poll';
import { DEFINITION_SHAPE } from './shape';

/** A definition as people send it, once its shape is known to be right. */
interface RawDefinition {
  name?: string;
  type?: string;
  label?: string;
  description?: string | null;
  icon?: string | null;
  color?: string | null;
  kind?: CustomNodeDefinition['kind'];
  config_fields?: {
    name: string;
    label?: string;
    description?: string;
    type?: FieldType;
    required?: boolean;
    secret?: boolean;
    default?: Json;
    options?: (string | number | { value: string | number; label?: string })[] | null;
  }[];
  outputs?: { name: string; path?: string }[];
  request: JsonObject;
  poll?: Partial<PollPaths> | null;
}

/** A definition with everything filled in, or everything that is wrong with it. */
type ReadDefinition =
  | { readonly kind: 'definition'; readonly definition: CustomNodeDefinition }
  | { readonly kind: 'faults'; readonly faults: readonly ErrorDetail[] };

/** Reads the definition of a custom node from untrusted JSON. Total on any JSON; unknown members are ignored. */
export function readDefinition(body: JsonObject): ReadDefinition {
  const misshapen = shapeFaults(body);
  if (misshapen.length > 0) return { kind: 'faults', faults: misshapen };
  // Its shape has just been checked.
  const given = body as unknown as RawDefinition;
  const definition = filledIn(given);
  const faults = [
    ...nameFaults(given),
    ...fieldFaults(definition),
    ...outputFaults(definition),
    ...requestFaults(definition),
    ...pollFaults(definition, given),
  ];
  return faults.length > 0 ? { kind: 'faults', faults } : { kind: 'definition', definition };
}

function shapeFaults(body: JsonObject): readonly ErrorDetail[] {
  if (isTooLarge(body)) return [{ path: '', message: `is larger than ${CUSTOM_LIMITS.text / 1_024} KiB` }];
  return checkerOf(DEFINITION_SHAPE)(body);
}

function isTooLarge(body: JsonObject): boolean {
  try {
    return jsonSize(body, CUSTOM_LIMITS.text) > CUSTOM_LIMITS.text;
  } catch (fault) {
    // Nested too deep to be measured.
    if (fault instanceof RangeError) return true;
    throw fault;
  }
}

/** The check of a schema that was written here. */
function checkerOf(schema: unknown): (value: Json, root?: string) => readonly ErrorDetail[] {
  const compiled = compileSchema(schema);
  if (compiled.kind === 'refused') throw new Error(`No schema: ${JSON.stringify(compiled.faults)}`);
  return compiled.check;
}

function filledIn(given: RawDefinition): CustomNodeDefinition {
  const name = given.name ?? given.type?.slice(CUSTOM_PREFIX.length) ?? '';
  const { items = null, id = null, cursor = null } = given.poll ?? {};
  return {
    type: `${CUSTOM_PREFIX}${name}`,
    name,
    label: given.label ?? name,
    description: given.description ?? '',
    icon: given.icon ?? null,
    color: given.color ?? null,
    kind: given.kind ?? 'tool',
    config_fields: (given.config_fields ?? []).map(fieldOf),
    outputs: (given.outputs ?? []).map((output) => ({ name: output.name, path: output.path ?? output.name })),
    request: given.request,
    ...(given.kind === 'trigger' ? { poll: { items, id, cursor } } : {}),
  };
}

function fieldOf(given: NonNullable<RawDefinition['config_fields']>[number]): ConfigField {
  const { name, label = name, description = '', required = false, options } = given;
  const type = given.secret === true ? 'secret' : (given.type ?? 'string');
  return {
    name,
    label,
    description,
    type,
    required,
    ...(given.default === undefined || given.default === null ? {} : { default: given.default }),
    ...(options === undefined || options === null ? {} : { options: options.map(optionOf) }),
  };
}

const optionOf = (given: string | number | { value: string | number; label?: string }): FieldOption =>
  typeof given === 'object'
    ? { value: given.value, label: given.label ?? String(given.value) }
    : { value: given, label: String(given) };

function nameFaults({ name, type }: RawDefinition): ErrorDetail[] {
  if (name === undefined && type === undefined) return [{ path: 'name', message: 'is required' }];
  if (name?.startsWith(CUSTOM_PREFIX)) {
    return [
      { path: 'name', message: 'is put behind "custom-" by itself', hint: `write ${name.slice(CUSTOM_PREFIX.length)}` },
    ];
  }
  if (name === undefined || type === undefined || type === `${CUSTOM_PREFIX}${name}`) return [];
  return [{ path: 'type', message: `must be ${CUSTOM_PREFIX}${name}, after the name`, hint: 'leave it out' }];
}

function fieldFaults({ config_fields: fields }: CustomNodeDefinition): ErrorDetail[] {
  return fields.flatMap((field, index) => {
    const path = `config_fields[${index}]`;
    const faults = twice(fields, index, `${path}.name`);
    if (field.type === 'select' && field.options === undefined)
      faults.push({ path: `${path}.options`, message: 'is required for a select' });
    if (field.type !== 'select' && field.options !== undefined)
      faults.push({ path: `${path}.options`, message: `is for a select, not for a ${field.type}` });
    return [...faults, ...defaultFaults(field, `${path}.default`)];
  });
}

function defaultFaults(field: ConfigField, path: string): readonly ErrorDetail[] {
  if (field.default === undefined) return [];
  if (field.type === 'secret') {
    return [{ path, message: 'a secret has no default', hint: 'write {{ secret.NAME }} into the request' }];
  }
  if (jsonSize(field.default) > CUSTOM_LIMITS.default) {
    return [{ path, message: `is larger than ${CUSTOM_LIMITS.default / 1_024} KiB` }];
  }
  return checkerOf(valueSchema(field))(field.default, path);
}

const IN_ANSWER = "write body.items[0].id, status, or headers['x-request-id']";
const IN_ITEM = 'write the way from an item to it, such as author.name, or $ for the item';

function outputFaults({ outputs, kind }: CustomNodeDefinition): ErrorDetail[] {
  const parse = kind === 'trigger' ? parseItemPath : parseOutputPath;
  return outputs.flatMap(({ path }, index) => {
    const faults = twice(outputs, index, `outputs[${index}].name`);
    if (parse(path) === null) {
      faults.push({
        path: `outputs[${index}].path`,
        message: 'is not a path',
        hint: kind === 'trigger' ? IN_ITEM : IN_ANSWER,
      });
    }
    return faults;
  });
}

function twice(list: readonly { readonly name: string }[], index: number, path: string): ErrorDetail[] {
  const name = list[index]?.name;
  const first = list.findIndex((each) => each.name === name);
  return first < index ? [{ path, message: `is taken by number ${first}` }] : [];
}

/** The method determines the effect, so it must be known before a run. */
function requestFaults({ request, config_fields: fields, kind }: CustomNodeDefinition): ErrorDetail[] {
  const names = new Set(fields.map(({ name }) => name));
  const faults = validateCustomTemplate(request, {
    path: 'request',
    schema: httpRequest.input,
    fields: names,
    polled: kind === 'trigger',
  });
  if (kind === 'trigger' && request.connection !== undefined)
    faults.push({ path: 'request.connection', message: 'is for nodes and tools, not for triggers' });
  const { method } = request;
  if (typeof method !== 'string' || !method.includes('{{')) return faults;
  return [...faults, { path: 'request.method', message: 'may not be an expression' }];
}
