/**
 * Compiles a user's schema into rules. No code is generated: rules are closures, and texts of the schema are only
 * compared, matched by RE2, or displayed.
 *
 * S1 The size of a schema is limited: its text, schemas and patterns are counted.
 * S2 No schema applies to a value through itself, so each recursion descends into the value.
 * S3 Every schema is compiled once, including references, so that recursion needs no memory.
 */
import type { ErrorDetail } from '../errors';
import { isObject, type Json, type JsonObject, jsonSize } from '../json';
import { memberPath, typeName } from '../json-path';
import { PATTERN_LIMITS, Pattern, patternOf, refusalText } from '../regex';
import { type Rule, TooMuch } from './check';
import type { KeywordContext, Keyword } from './keyword';
import { listKeywords } from './keywords/lists';
import { logicKeywords } from './keywords/logic';
import { objectKeywords } from './keywords/objects';
import { scalarKeywords } from './keywords/scalars';

/** Limits of a schema. Text in characters of JSON; patterns in characters, and in instructions of all together. */
export const SCHEMA_LIMITS = {
  text: 64 * 1024,
  depth: 64,
  schemas: 2_000,
  pattern: PATTERN_LIMITS.length,
  program: 20_000,
} as const;

const KEYWORDS: ReadonlyMap<string, Keyword> = new Map([
  ...scalarKeywords,
  ...listKeywords,
  ...objectKeywords,
  ...logicKeywords,
]);

/** Annotations, which do not affect validity. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  '$schema',
  '$comment',
  'title',
  'description',
  'default',
  'example',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
  'contentEncoding',
  'contentMediaType',
  'contentSchema',
]);

/** Keywords of the standard that are not supported and must not be ignored. */
const REFUSED: ReadonlySet<string> = new Set([
  '$id',
  '$anchor',
  '$dynamicRef',
  '$dynamicAnchor',
  '$recursiveRef',
  '$recursiveAnchor',
  '$vocabulary',
  'unevaluatedItems',
  'unevaluatedProperties',
]);

const MAX_FAULTS = 20;

/** A schema of the document, and the schemas that it applies to the same value. */
interface SchemaNode {
  readonly path: string;
  readonly rules: Rule[];
  readonly inPlace: SchemaNode[];
  readonly rule: Rule;
}

/** Unknown keywords: rejected, or ignored as the standard specifies. */
export type UnknownKeywords = 'refuse' | 'ignore';

/** The rule of a valid schema, or all its faults. */
export function compile(schema: Json, unknownKeywords: UnknownKeywords): Rule | readonly ErrorDetail[] {
  try {
    return new Compiler(schema, unknownKeywords).compile();
  } catch (fault) {
    if (fault instanceof TooMuch) return [{ path: '', message: fault.message }];
    throw fault;
  }
}

class Compiler {
  /** By schema object, which is unique per position. */
  readonly #places = new Map<Json, SchemaNode>();
  readonly #patterns = new Map<string, Pattern | null>();
  readonly #faults: ErrorDetail[] = [];
  /** Targets of references, compiled last: chains of them may exceed the stack. */
  readonly #waiting: (() => void)[] = [];
  #program = 0;

  constructor(
    private readonly root: Json,
    private readonly unknownKeywords: UnknownKeywords,
  ) {}

  /** @throws TooMuch */
  compile(): Rule | readonly ErrorDetail[] {
    const { rule } = this.#placeOf(this.root, '');
    for (let next = this.#waiting.pop(); next !== undefined; next = this.#waiting.pop()) next();
    for (const path of circles(this.#places.values())) this.#wrong(path, 'refers to itself for the same value');
    return this.#faults.length > 0 ? this.#faults : rule;
  }

  #wrong(path: string, message: string): null {
    if (this.#faults.length < MAX_FAULTS) this.#faults.push({ path, message });
    return null;
  }

  #placeOf(schema: Json, path: string, later = false): SchemaNode {
    const known = this.#places.get(schema);
    if (known !== undefined) return known;
    const rules: Rule[] = [];
    const place: SchemaNode = { path, rules, inPlace: [], rule: (value, check) => check.apply(rules, value) };
    if (isObject(schema)) this.#places.set(schema, place);
    if (this.#places.size > SCHEMA_LIMITS.schemas) throw new TooMuch(`has more than ${SCHEMA_LIMITS.schemas} schemas`);
    if (later) this.#waiting.push(() => this.#fill(place, schema));
    else this.#fill(place, schema);
    return place;
  }

  #fill(place: SchemaNode, schema: Json): void {
    if (schema === true) return;
    if (schema === false) {
      place.rules.push((_value, check) => check.fault('is not allowed'));
    } else if (!isObject(schema)) {
      this.#wrong(place.path, `a schema must be an object, true or false, not ${typeName(schema)}`);
    } else {
      for (const [word, operand] of Object.entries(schema)) {
        const rule = this.#ruleOf(word, operand, schema, place);
        if (rule !== null) place.rules.push(rule);
      }
    }
  }

  #ruleOf(word: string, operand: Json, schema: JsonObject, place: SchemaNode): Rule | null {
    const path = memberPath(place.path, word);
    const keyword = KEYWORDS.get(word);
    if (keyword !== undefined) return keyword(operand, this.#here(path, schema, place));
    if (REFUSED.has(word)) return this.#wrong(path, `${word} is not available here`);
    if (this.unknownKeywords === 'ignore' || ANNOTATIONS.has(word) || /^x[-_]/.test(word)) return null;
    return this.#wrong(path, 'is not a supported keyword of JSON Schema; custom keywords begin with x-');
  }

  #here(path: string, schema: JsonObject, place: SchemaNode): KeywordContext {
    const below = (keys: readonly (string | number)[]): string => keys.reduce<string>(memberPath, path);
    const applied = (found: SchemaNode): Rule => {
      place.inPlace.push(found);
      return found.rule;
    };
    return {
      schema,
      wrong: (message, ...keys) => this.#wrong(below(keys), message),
      member: (inner, ...keys) => this.#placeOf(inner, below(keys)).rule,
      same: (inner, ...keys) => applied(this.#placeOf(inner, below(keys))),
      sibling: (key) =>
        Object.hasOwn(schema, key) ? applied(this.#placeOf(schema[key] as Json, memberPath(place.path, key))) : null,
      referred: (reference) => {
        const target = this.#target(reference);
        if (target === null) return this.#wrong(path, 'must name a place in this schema, as "#/$defs/name"');
        return applied(this.#placeOf(target.schema, target.path, true));
      },
      pattern: (source, ...keys) => this.#pattern(source, below(keys)),
    };
  }

  /** The schema that a reference names, by a JSON pointer (RFC 6901) in the fragment; null when there is none. */
  #target(reference: string): { schema: Json; path: string } | null {
    const fragment = /^#((?:\/[^/]*)*)$/.exec(reference)?.[1];
    if (fragment === undefined) return null;
    let path = '';
    let schema = this.root;
    for (const part of fragment.split('/').slice(1)) {
      const key = decoded(part);
      if (key === null || typeof schema !== 'object' || schema === null || !Object.hasOwn(schema, key)) return null;
      path = memberPath(path, Array.isArray(schema) ? Number(key) : key);
      schema = (schema as JsonObject)[key] as Json;
    }
    return { schema, path };
  }

  #pattern(source: string, path: string): Pattern | null {
    const known = this.#patterns.get(source);
    if (known !== undefined) return known;
    const made = this.#compilePattern(source, path);
    this.#patterns.set(source, made);
    return made;
  }

  #compilePattern(source: string, path: string): Pattern | null {
    const found = patternOf(source, 'javascript');
    if (!(found instanceof Pattern)) return this.#wrong(path, refusalText(found));
    this.#program += found.instructions;
    if (this.#program > SCHEMA_LIMITS.program) throw new TooMuch('has too many, or too large, regular expressions');
    return found;
  }
}

/** Why a value cannot be a schema at all; null when it may be. Accepts any JSON. */
export function unfitness(schema: unknown): string | null {
  if (typeof schema === 'boolean') return null;
  if (!isObject(schema)) return `a schema must be an object, not ${typeName(schema)}`;
  if (isDeeperThan(schema, SCHEMA_LIMITS.depth)) return `is nested deeper than ${SCHEMA_LIMITS.depth}`;
  const size = jsonSize(schema as JsonObject, SCHEMA_LIMITS.text);
  return size > SCHEMA_LIMITS.text ? `is larger than ${SCHEMA_LIMITS.text / 1_024} KiB` : null;
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === 0 || Object.values(value).some((member) => isDeeperThan(member, depth - 1));
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch (fault) {
    // Invalid percent-encoding.
    if (fault instanceof URIError) return null;
    throw fault;
  }
}

/** Paths of schemas that refer to themselves without descending into the value. */
function circles(places: Iterable<SchemaNode>): string[] {
  const found: string[] = [];
  const done = new Set<SchemaNode>();
  const open = new Set<SchemaNode>();
  const visit = (place: SchemaNode): void => {
    if (done.has(place)) return;
    if (open.has(place)) {
      found.push(place.path);
      return;
    }
    open.add(place);
    for (const next of place.inPlace) visit(next);
    open.delete(place);
    done.add(place);
  };
  for (const place of places) visit(place);
  return found;
}
