import { isObject, type Json, type JsonObject } from '../../../lib/json';
import { invalidSyntax, invalidValue, ScimError } from './errors';
import { satisfies } from './evaluate';
import { type Filter, type PatchPath, parsePath } from './filter';

/** How the attributes of a resource that a client may change are spelled, by their names in lower case. */
export interface Shape {
  readonly attributes: Readonly<Record<string, string>>;
  /** Attributes that are lists of objects. */
  readonly lists: ReadonlySet<string>;
  /** Of these, the ones that are identified by the `value` of their elements and may be long. */
  readonly keyed: ReadonlySet<string>;
  /** Attributes with parts. */
  readonly objects: ReadonlySet<string>;
  /** Parts of attributes. */
  readonly parts: Readonly<Record<string, string>>;
  /** Attributes that only the service sets. */
  readonly readOnly: ReadonlySet<string>;
}

type Verb = 'add' | 'replace' | 'remove';

interface Operation {
  readonly verb: Verb;
  readonly path: PatchPath | null;
  readonly value: Json | undefined;
}

const MAX_OPERATIONS = 1_000;
/** Elements that the filters of one PATCH are tried on. */
const MAX_TRIED = 10_000;
/** Of a list whose elements are not found by their values. */
const MAX_ELEMENTS = 100;
const VERBS: readonly string[] = ['add', 'replace', 'remove'];

/**
 * Applies the operations of a PATCH (RFC 7644 section 3.5.2) to a copy of a resource, all or none. Attributes that are not
 * kept are ignored, as identity providers send all that they know. @throws ScimError
 */
export function applyPatch(resource: JsonObject, body: unknown, shape: Shape): JsonObject {
  const patch = new Patch(resource, shape);
  for (const operation of operationsOf(body)) patch.apply(operation);
  return patch.result();
}

/** The text of `value eq "text"`; null for another filter. */
const byValue = (where: Filter): string | null =>
  where.kind === 'compare' && where.operator === 'eq' && where.path.name === 'value' && typeof where.value === 'string'
    ? where.value
    : null;

function comparisonsOf(filter: Filter): number {
  if (filter.kind === 'and' || filter.kind === 'or')
    return filter.of.reduce((sum, part) => sum + comparisonsOf(part), 0);
  return filter.kind === 'not' || filter.kind === 'element' ? 1 + comparisonsOf(filter.of) : 1;
}

function operationsOf(body: unknown): Operation[] {
  const given = isObject(body) ? member(body, 'operations') : undefined;
  if (!Array.isArray(given) || given.length === 0) throw invalidSyntax("A PATCH needs 'Operations', a list of changes");
  if (given.length > MAX_OPERATIONS) throw new ScimError(413, null, `A PATCH has at most ${MAX_OPERATIONS} operations`);
  return given.map(operationOf);
}

function operationOf(given: unknown, n: number): Operation {
  const where = `Operations[${n}]`;
  if (!isObject(given)) throw invalidSyntax(`${where} is not an object`);
  // Entra ID begins the words with a capital letter.
  const verb = String(member(given, 'op')).toLowerCase();
  if (!VERBS.includes(verb)) throw invalidSyntax(`${where}.op must be add, replace or remove`);
  const path = member(given, 'path');
  if (path !== undefined && path !== null && typeof path !== 'string')
    throw invalidSyntax(`${where}.path must be a text`);
  const parsed = path === undefined || path === null || path === '' ? null : parsePath(path);
  if (verb === 'remove' && parsed === null)
    throw new ScimError(400, 'noTarget', `${where} removes nothing: it has no path`);
  const value = member(given, 'value') as Json | undefined;
  if (verb !== 'remove' && value === undefined) throw invalidValue(`${where} has no value`);
  return { verb: verb as Verb, path: parsed, value };
}

function member(given: Readonly<Record<string, unknown>>, name: string): unknown {
  const key = Object.keys(given).find((each) => each.toLowerCase() === name);
  return key === undefined ? undefined : given[key];
}

class Patch {
  readonly #resource: JsonObject;
  readonly #keyed = new Map<string, Map<string, JsonObject>>();
  #tried = 0;

  /** What is inside of the resource is replaced, and never changed. */
  constructor(
    resource: JsonObject,
    private readonly shape: Shape,
  ) {
    this.#resource = { ...resource };
  }

  result(): JsonObject {
    for (const [key, elements] of this.#keyed) this.#resource[key] = [...elements.values()];
    return this.#resource;
  }

  /** Without a path the value is an object of attributes, whose names may be paths (Entra ID). */
  apply(operation: Operation): void {
    const { verb, path, value } = operation;
    if (path !== null) return this.#applyAt(path, operation, false);
    if (!isObject(value)) throw invalidValue('An operation without a path needs an object as its value');
    for (const [name, each] of Object.entries(value)) {
      if (name !== 'schemas') this.#applyAt(parsePath(name), { verb, path: null, value: each }, true);
    }
  }

  /** `named`: by the value of an operation without a path. */
  #applyAt(path: PatchPath, operation: Operation, named: boolean): void {
    const { attributes, lists, keyed, objects, readOnly } = this.shape;
    // Okta repeats the id of a group in the value of an operation without a path.
    if (readOnly.has(path.name)) {
      if (named) return;
      throw new ScimError(400, 'mutability', `'${path.name}' is set by the service`);
    }
    const key = Object.hasOwn(attributes, path.name) ? (attributes[path.name] as string) : null;
    if (key === null) return;
    if (keyed.has(path.name)) return this.#applyToKeyed(key, path, operation);
    if (lists.has(path.name)) return this.#applyToList(key, path, operation);
    if (path.where !== null) throw new ScimError(400, 'invalidPath', `'${key}' is not a list`);
    if (objects.has(path.name)) return this.#applyToObject(key, path, operation);
    if (path.sub !== null) throw new ScimError(400, 'invalidPath', `'${key}' has no parts`);
    if (operation.verb === 'remove') delete this.#resource[key];
    else this.#resource[key] = operation.value as Json;
  }

  #applyToObject(key: string, { sub }: PatchPath, { verb, value }: Operation): void {
    const before = (this.#resource[key] ?? {}) as JsonObject;
    if (sub === null) {
      if (verb === 'remove') delete this.#resource[key];
      else if (!isObject(value)) throw invalidValue(`'${key}' must be an object`);
      else this.#resource[key] = { ...before, ...partsOf(value, this.shape) };
      return;
    }
    const part = partNamed(sub, this.shape);
    if (part === null) return;
    const { [part]: _before, ...others } = before;
    this.#resource[key] = verb === 'remove' ? others : { ...others, [part]: value as Json };
  }

  #applyToList(key: string, path: PatchPath, operation: Operation): void {
    const before = (this.#resource[key] ?? []) as Json[];
    if (path.where === null) {
      if (path.sub !== null) throw new ScimError(400, 'invalidPath', `Name the elements of '${key}' by a filter`);
      this.#resource[key] = changedList(before, key, operation, this.shape);
    } else {
      this.#count(before.length, path.where);
      this.#resource[key] = changedElements(before, path.where, path.sub, operation, this.shape);
    }
    if (this.#resource[key].length > MAX_ELEMENTS)
      throw new ScimError(400, 'tooMany', `'${key}' has at most ${MAX_ELEMENTS} elements`);
  }

  #applyToKeyed(key: string, { where, sub }: PatchPath, { verb, value }: Operation): void {
    const elements = this.#elementsOf(key);
    if (sub !== null) throw new ScimError(400, 'invalidPath', `The parts of '${key}' are not changed one by one`);
    if (where !== null) {
      const one = byValue(where);
      if (one === null) this.#count(elements.size, where);
      const meant =
        one === null ? [...elements].flatMap(([name, each]) => (satisfies(each, where) ? [name] : [])) : [one];
      for (const name of meant) {
        if (verb === 'remove') elements.delete(name);
        else elements.set(name, { value: name });
      }
      return;
    }
    if (verb === 'replace' || (verb === 'remove' && value === undefined)) elements.clear();
    if (value === undefined) return;
    for (const element of elementsOf(value, key, this.shape)) {
      // Entra ID names the members that it removes by the value.
      if (verb === 'remove') elements.delete(String(element.value));
      else elements.set(String(element.value), element);
    }
  }

  #elementsOf(key: string): Map<string, JsonObject> {
    const known = this.#keyed.get(key);
    if (known !== undefined) return known;
    const list = (this.#resource[key] ?? []) as JsonObject[];
    const elements = new Map(list.map((each) => [String(each.value), each]));
    this.#keyed.set(key, elements);
    return elements;
  }

  #count(elements: number, where: Filter): void {
    this.#tried += elements * comparisonsOf(where);
    if (this.#tried > MAX_TRIED) throw new ScimError(400, 'tooMany', 'This PATCH compares too much; send it in parts');
  }
}

const partNamed = (name: string, { parts }: Shape): string | null =>
  Object.hasOwn(parts, name) ? (parts[name] as string) : null;

function changedList(before: readonly Json[], key: string, { verb, value }: Operation, shape: Shape): Json[] {
  if (verb === 'remove' && value === undefined) return [];
  const given = elementsOf(value, key, shape);
  if (verb === 'replace') return given;
  const values = new Set(given.map(valueIn));
  const others = before.filter((each) => !values.has(valueIn(each)));
  return verb === 'remove' ? others : [...others, ...given];
}

const valueIn = (element: Json): Json | undefined => (isObject(element) ? element.value : undefined);

function elementsOf(value: Json | undefined, key: string, shape: Shape): JsonObject[] {
  return (Array.isArray(value) ? value : [value]).map((each) => {
    if (typeof each === 'string') return { value: each };
    if (!isObject(each)) throw invalidValue(`'${key}' must be a list of objects with a 'value'`);
    return partsOf(each, shape);
  });
}

/** The members of an object that are kept. */
const partsOf = (given: JsonObject, { parts }: Shape): JsonObject =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) =>
      Object.hasOwn(parts, name.toLowerCase()) ? [[parts[name.toLowerCase()] as string, value]] : [],
    ),
  );

function changedElements(
  before: readonly Json[],
  where: Filter,
  sub: string | null,
  { verb, value }: Operation,
  shape: Shape,
): Json[] {
  const part = sub === null ? null : partNamed(sub, shape);
  if (sub !== null && part === null) return [...before];
  const change = part === null ? () => partsOf(objectOf(value), shape) : () => ({ [part]: value as Json });
  const isMeant = (each: Json): boolean => satisfies(each, where);
  if (!before.some(isMeant)) {
    // Entra ID adds, and replaces, a value of a list that has no such element yet.
    return verb === 'remove' ? [...before] : [...before, { ...partsOf(namedBy(where), shape), ...change() }];
  }
  return before.flatMap((each) => {
    if (!isMeant(each)) return [each];
    if (verb !== 'remove') return [{ ...(each as JsonObject), ...change() }];
    if (part === null) return [];
    const { [part]: _removed, ...rest } = each as JsonObject;
    return [rest];
  });
}

function objectOf(value: Json | undefined): JsonObject {
  if (isObject(value)) return value;
  throw invalidValue('A change of elements of a list needs an object as its value');
}

/** The parts that a filter demands of an element, for one that is added. */
function namedBy(where: Filter): JsonObject {
  if (where.kind === 'and') return Object.assign({}, ...where.of.map(namedBy)) as JsonObject;
  return where.kind === 'compare' && where.operator === 'eq' ? { [where.path.name]: where.value } : {};
}
