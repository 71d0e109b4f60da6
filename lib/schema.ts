import type { Json, JsonObject } from './json';

/** A JSON Schema (draft 2020-12). */
export type JsonSchema = { readonly [key: string]: unknown };

/** Where references to other schemas point. */
export const DEFINITIONS = '#/components/schemas/';

/** The shape of a result: a TypeScript type with its JSON Schema for documentation. Not checked at run time. */
export class Schema<T> {
  /** Exists for the compiler only. */
  declare readonly type: T;
  constructor(readonly json: JsonSchema) {}

  nullable(): Schema<T | null> {
    return new Schema(nullable([this.json, { type: 'null' }]));
  }

  /** An optional member. */
  optional(): OptionalSchema<T> {
    return new OptionalSchema<T>(this.json);
  }

  about(description: string): Schema<T> {
    return new Schema({ description, ...this.json });
  }
}

class OptionalSchema<T> extends Schema<T> {
  readonly isOptional = true;

  override about(description: string): OptionalSchema<T> {
    return new OptionalSchema({ description, ...this.json });
  }
}

/** The type that a schema describes. */
export type Infer<S extends Schema<unknown>> = S['type'];

type Members = Readonly<Record<string, Schema<unknown>>>;
type OptionalKeys<M extends Members> = { [K in keyof M]: M[K] extends OptionalSchema<unknown> ? K : never }[keyof M];
type ObjectOf<M extends Members> = { [K in Exclude<keyof M, OptionalKeys<M>>]: M[K]['type'] } & {
  [K in OptionalKeys<M>]?: M[K]['type'];
} extends infer O
  ? { [K in keyof O]: O[K] }
  : never;

class ObjectSchema<M extends Members> extends Schema<ObjectOf<M>> {
  constructor(
    readonly members: M,
    json: JsonSchema = objectJson(members),
  ) {
    super(json);
  }

  extend<N extends Members>(more: N): ObjectSchema<Omit<M, keyof N> & N> {
    return new ObjectSchema<Omit<M, keyof N> & N>({ ...this.members, ...more });
  }

  pick<K extends keyof M & string>(...names: readonly K[]): ObjectSchema<Pick<M, K>> {
    return new ObjectSchema(
      Object.fromEntries(names.map((name) => [name, this.members[name]])) as unknown as Pick<M, K>,
    );
  }

  omit<K extends keyof M & string>(...names: readonly K[]): ObjectSchema<Omit<M, K>> {
    const kept = Object.entries(this.members).filter(([name]) => !(names as readonly string[]).includes(name));
    return new ObjectSchema(Object.fromEntries(kept) as unknown as Omit<M, K>);
  }
}

function objectJson(members: Members): JsonSchema {
  const names = Object.keys(members);
  const required = names.filter((name) => !(members[name] instanceof OptionalSchema));
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, members[name]?.json])),
    ...(required.length === 0 ? {} : { required }),
  };
}

/** `X | null`, as one schema where possible. */
function nullable(members: readonly JsonSchema[]): JsonSchema {
  const [first, second] = members.filter((member) => member.type !== 'null');
  if (members.length !== 2 || first === undefined || second !== undefined) return { anyOf: [...members] };
  if (Array.isArray(first.anyOf)) return { ...first, anyOf: [...first.anyOf, { type: 'null' }] };
  if (typeof first.type !== 'string' || first.enum !== undefined) return { anyOf: [first, { type: 'null' }] };
  return { ...first, type: [first.type, 'null'] };
}

export const text = new Schema<string>({ type: 'string' });
export const number = new Schema<number>({ type: 'number' });
export const boolean = new Schema<boolean>({ type: 'boolean' });
export const unknown = new Schema<unknown>({});
export const json = new Schema<Json>({ description: 'Any JSON value' });
export const jsonObject = new Schema<JsonObject>({ type: 'object', additionalProperties: true });
export const jsonSchema = new Schema<JsonSchema>({
  type: 'object',
  additionalProperties: true,
  description: 'A JSON Schema',
});
/** The result of an action without a result. */
export const nothing = new Schema<void>({ type: 'null' });

export const constant = <const T extends string | number | boolean>(value: T) => new Schema<T>({ const: value });

export const words = <const T extends string>(...values: readonly T[]) =>
  new Schema<T>({ type: 'string', enum: values });

export const array = <S extends Schema<unknown>>(items: S) =>
  new Schema<S['type'][]>({ type: 'array', items: items.json });

export const record = <S extends Schema<unknown>>(values: S) =>
  new Schema<Record<string, S['type']>>({ type: 'object', additionalProperties: values.json });

export const union = <const S extends readonly Schema<unknown>[]>(...members: S) =>
  new Schema<S[number]['type']>({ anyOf: members.map((member) => member.json) });

export const object = <M extends Members>(members: M) => new ObjectSchema(members);

/** A page of a list. */
export const listed = <S extends Schema<unknown>>(row: S) =>
  object({ data: array(row), limit: number, offset: number });

/** A shape without a documented schema, for internal actions. */
export const typed = <T>() => new Schema<T>({});

const definitions = new Map<string, JsonSchema>();

/** A named shape, referenced by its name. @throws Error for a duplicate name */
export function named<M extends Members>(name: string, shape: ObjectSchema<M>, about?: string): ObjectSchema<M>;
export function named<T>(name: string, shape: Schema<T>, about?: string): Schema<T>;
export function named<T>(name: string, shape: Schema<T>, about?: string): Schema<T> {
  if (definitions.has(name)) throw new Error(`Duplicate schema name: ${name}`);
  definitions.set(name, about === undefined ? shape.json : { description: about, ...shape.json });
  const json = { $ref: `${DEFINITIONS}${name}` };
  return shape instanceof ObjectSchema
    ? (new ObjectSchema(shape.members as Members, json) as Schema<T>)
    : new Schema<T>(json);
}

/** A reference to a named shape, for recursive shapes. */
export const ref = <T>(name: string) => new Schema<T>({ $ref: `${DEFINITIONS}${name}` });

/** All named shapes. */
export const namedSchemas = (): Readonly<Record<string, JsonSchema>> => Object.fromEntries(definitions);
