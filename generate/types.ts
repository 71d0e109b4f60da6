import { join } from 'node:path';
import {
  API,
  type Checker,
  type Symbol as TsSymbol,
  SymbolFlags,
  type Type,
  TypeFlags,
} from 'typescript/unstable/sync';
import type { JsonSchema } from '../nodes/contract';

/** What the types of the catalogue say: of each action its answer and what is written above it, and the types with names. */
export interface TypedActions {
  /** By action; null for one that answers nothing. */
  readonly results: Readonly<Record<string, JsonSchema | null>>;
  readonly comments: Readonly<Record<string, string>>;
  /** By event. */
  readonly events: Readonly<Record<string, { readonly comment: string; readonly data: JsonSchema }>>;
  readonly definitions: Readonly<Record<string, JsonSchema>>;
  /** The types of workflow documents, by name. */
  readonly language: Readonly<Record<string, JsonSchema>>;
}

/** Where a schema names another one. */
export const DEFINITIONS = '#/components/schemas/';

/** Types whose shape says less than their name. */
const BY_NAME: Readonly<Record<string, JsonSchema>> = {
  Json: { description: 'Any JSON value' },
  JsonObject: { type: 'object', additionalProperties: true },
  JsonSchema: { type: 'object', additionalProperties: true, description: 'A JSON Schema' },
};

const EVERY_KIND = ['null', 'boolean', 'number', 'string', 'array', 'object'];

/** What a comment says beside who may call an action, which its menu says. */
export function aboutOf(comment: string): string {
  const text = comment.replace(/^(?:Internal|Public)\b[^:.]*[:.]\s*/, '');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Reads the types of the catalogue with the compiler itself. @throws Error for a type that is no plain JSON */
export function readTypes(root: string): TypedActions {
  const api = new API({ cwd: root });
  try {
    const config = join(root, 'tsconfig.json');
    const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
    if (project === undefined) throw new Error(`The project of ${config} cannot be read`);
    const moduleOf = (path: string): TsSymbol => {
      const file = project.program.getSourceFile(join(root, path));
      const module = file === undefined ? undefined : project.checker.getSymbolAtLocation(file);
      if (module === undefined) throw new Error(`${path} cannot be read`);
      return module;
    };
    const language = new Reader(project.checker).declared(moduleOf('dsl/document.ts'), 'WorkflowDocument');
    return { ...new Reader(project.checker).read(moduleOf('services/catalogue.ts')), language };
  } finally {
    api.close();
  }
}

class Reader {
  readonly #definitions = new Map<string, { readonly symbol: TsSymbol; schema: JsonSchema }>();

  constructor(private readonly checker: Checker) {}

  /** A type that a module exports, and all that it names. */
  declared(module: TsSymbol, name: string): TypedActions['language'] {
    this.#schemaOf(this.checker.getDeclaredTypeOfSymbol(this.#exportOf(module, name)), name);
    return this.#named();
  }

  read(module: TsSymbol): Omit<TypedActions, 'language'> {
    const { checker } = this;
    const results: Record<string, JsonSchema | null> = {};
    const comments: Record<string, string> = {};
    for (const action of this.#membersOf(module, 'Catalogue')) {
      const [signature] = checker.getSignaturesOfType(this.#typeOf(action), 0);
      const result = signature === undefined ? undefined : checker.getReturnTypeOfSignature(signature);
      if (result === undefined) throw new Error(`${action.name} is no action`);
      const isVoid = (result.flags & (TypeFlags.Void | TypeFlags.Undefined)) !== 0;
      results[action.name] = isVoid ? null : this.#schemaOf(result, action.name);
      comments[action.name] = commentOf(action, checker);
    }
    const events = this.#membersOf(module, 'EventCatalogue').map((event) => {
      const data = this.#schemaOf(this.#typeOf(event), event.name);
      return [event.name, { comment: commentOf(event, checker), data }] as const;
    });
    return {
      results: sorted(results),
      comments: sorted(comments),
      events: sorted(Object.fromEntries(events)),
      definitions: this.#named(),
    };
  }

  #named(): Record<string, JsonSchema> {
    return sorted(Object.fromEntries([...this.#definitions].map(([name, { schema }]) => [name, schema])));
  }

  #exportOf(module: TsSymbol, name: string): TsSymbol {
    const found = this.checker.getExportsOfModule(module).find((symbol) => symbol.name === name);
    if (found === undefined) throw new Error(`The module has no ${name}`);
    return found;
  }

  #membersOf(module: TsSymbol, name: string): readonly TsSymbol[] {
    return this.checker.getPropertiesOfType(this.checker.getDeclaredTypeOfSymbol(this.#exportOf(module, name)));
  }

  #typeOf(symbol: TsSymbol): Type {
    const type = this.checker.getTypeOfSymbol(symbol);
    if (type === undefined) throw new Error(`${symbol.name} has no type`);
    return type;
  }

  /** `at`: where the type stands, for messages. */
  #schemaOf(type: Type, at: string): JsonSchema {
    const named = nameOf(type);
    if (named === null) return this.#shapeOf(type, at);
    const known = BY_NAME[named.name];
    if (known !== undefined) return known;
    const before = this.#definitions.get(named.name);
    if (before === undefined) {
      // In place before its own members are read: they may name it.
      const definition = { symbol: named.symbol, schema: {} as JsonSchema };
      this.#definitions.set(named.name, definition);
      const comment = commentOf(named.symbol, this.checker);
      const shape = this.#shapeOf(type, named.name);
      definition.schema = comment === '' ? shape : { description: comment, ...shape };
    } else if (before.symbol.id !== named.symbol.id) {
      throw new Error(`Two types are called ${named.name}; one of them is at ${at}`);
    }
    return { $ref: `${DEFINITIONS}${named.name}` };
  }

  #shapeOf(type: Type, at: string): JsonSchema {
    const { checker } = this;
    if (type.isUnionType()) return this.#unionOf(type.getTypes() ?? [], at);
    if (type.isLiteralType()) return { const: type.value };
    if ((type.flags & (TypeFlags.Any | TypeFlags.Unknown)) !== 0) return {};
    if ((type.flags & TypeFlags.StringLike) !== 0) return { type: 'string' };
    if ((type.flags & TypeFlags.NumberLike) !== 0) return { type: 'number' };
    if ((type.flags & TypeFlags.BooleanLike) !== 0) return { type: 'boolean' };
    if ((type.flags & TypeFlags.Null) !== 0) return { type: 'null' };
    if (checker.isTupleType(type)) return { type: 'array', items: {} };
    if (checker.isArrayType(type)) {
      const [item] = type.isTypeReference() ? checker.getTypeArguments(type) : [];
      if (item === undefined) throw new Error(`The list at ${at} has no items`);
      return { type: 'array', items: this.#schemaOf(item, `${at}[]`) };
    }
    if (type.isObjectType() || type.isIntersectionType()) return this.#objectOf(type, at);
    throw new Error(`The type at ${at} is no plain JSON (flags ${type.flags})`);
  }

  #unionOf(types: readonly Type[], at: string): JsonSchema {
    const given = types.filter(({ flags }) => (flags & (TypeFlags.Undefined | TypeFlags.Void)) === 0);
    const literals = given.filter((type) => type.isLiteralType());
    const isBoolean = literals.filter(({ flags }) => (flags & TypeFlags.BooleanLiteral) !== 0).length === 2;
    const words = literals.flatMap((type) => (typeof type.value === 'string' ? [type.value] : []));
    const rest = given.filter(
      (type) =>
        !(isBoolean && (type.flags & TypeFlags.BooleanLiteral) !== 0) &&
        !(words.length > 1 && type.isLiteralType() && typeof type.value === 'string'),
    );
    const members: JsonSchema[] = [
      ...(words.length > 1 ? [{ type: 'string', enum: words } as JsonSchema] : []),
      ...(isBoolean ? [{ type: 'boolean' } as JsonSchema] : []),
      ...rest.map((type) => this.#schemaOf(type, at)),
    ];
    // Beside `undefined`, the compiler takes the name away from what is named elsewhere.
    if (EVERY_KIND.every((kind) => members.some(({ type }) => type === kind))) return BY_NAME.Json as JsonSchema;
    return members.length === 1 ? (members[0] as JsonSchema) : nullable(members);
  }

  #objectOf(type: Type, at: string): JsonSchema {
    const { checker } = this;
    const members = checker.getPropertiesOfType(type);
    const [index] = checker.getIndexInfosOfType(type);
    const properties = members.map((member): [string, JsonSchema] => {
      const schema = this.#schemaOf(this.#typeOf(member), `${at}.${member.name}`);
      const comment = commentOf(member, checker);
      return [member.name, comment === '' ? schema : { description: comment, ...schema }];
    });
    const required = members.filter(({ flags }) => (flags & SymbolFlags.Optional) === 0).map(({ name }) => name);
    return {
      type: 'object',
      ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }),
      ...(required.length === 0 ? {} : { required }),
      ...(index === undefined ? {} : { additionalProperties: this.#schemaOf(index.valueType, `${at}.*`) }),
    };
  }
}

/** `X | null` as one type where that can be said. */
function nullable(members: readonly JsonSchema[]): JsonSchema {
  const [first, second] = members.filter((member) => member.type !== 'null');
  if (members.length !== 2 || first === undefined || second !== undefined) return { anyOf: [...members] };
  if (typeof first.type !== 'string' || first.enum !== undefined) return { anyOf: [first, { type: 'null' }] };
  return { ...first, type: [first.type, 'null'] };
}

/** The name by which a type is known: of an alias, or of an interface; none for generic ones and those of the language. */
function nameOf(type: Type): { readonly name: string; readonly symbol: TsSymbol } | null {
  const alias = type.getAliasSymbol();
  if (alias !== undefined) return type.getAliasTypeArguments().length > 0 ? null : { name: alias.name, symbol: alias };
  const symbol = type.isClassOrInterface() ? type.getSymbol() : undefined;
  if (symbol === undefined) return null;
  return { name: symbol.name, symbol };
}

/** On one line, as the comments of the sources are broken at their margin. */
const commentOf = (symbol: TsSymbol, checker: Checker): string =>
  symbol
    .getDocumentationComment(checker)
    .replace(/\s*\n\s*/g, ' ')
    .trim();

const sorted = <T>(record: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
