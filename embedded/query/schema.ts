import { compare } from '../bson/compare';
import { failedToParse, typeMismatch } from '../bson/error';
import { remainder } from '../bson/arithmetic';
import { asInteger, compareNumbers, isNumeric, type Numeric } from '../bson/numeric';
import { TYPE_NUMBERS, typeName } from '../bson/types';
import { type Doc, isDoc, type Value } from '../bson/value';
import { compileRegex } from './regex';

type Check = (value: Value) => boolean;

/** A keyword of JSON Schema draft 4 as MongoDB supports it. `schema` is for keywords that depend on siblings. */
type Keyword = (argument: Value, schema: Doc) => Check;

const onObject =
  (check: (value: Doc) => boolean): Check =>
  (value) =>
    !isDoc(value) || check(value);
const onArray =
  (check: (value: Value[]) => boolean): Check =>
  (value) =>
    !Array.isArray(value) || check(value);
const onNumber =
  (check: (value: Numeric) => boolean): Check =>
  (value) =>
    !isNumeric(value) || check(value);
const onString =
  (check: (value: string) => boolean): Check =>
  (value) =>
    typeof value !== 'string' || check(value);

const same = (a: Value, b: Value): boolean => compare(a, b) === 0;

function subSchema(keyword: string, value: Value | undefined): Check {
  if (!isDoc(value)) throw typeMismatch(`$jsonSchema keyword '${keyword}' must be an object`);
  return compileValue(value);
}

function schemaList(keyword: string, value: Value): Check[] {
  if (!Array.isArray(value)) throw typeMismatch(`$jsonSchema keyword '${keyword}' must be an array`);
  if (value.length === 0) throw failedToParse(`$jsonSchema keyword '${keyword}' must be a non-empty array`);
  return value.map((entry) => subSchema(keyword, entry));
}

function schemaMap(keyword: string, value: Value | undefined): [string, Check][] {
  if (value === undefined) return [];
  if (!isDoc(value)) throw typeMismatch(`$jsonSchema keyword '${keyword}' must be an object`);
  return [...value].map(([name, entry]) => [name, subSchema(keyword, entry)]);
}

function names(keyword: string, value: Value): string[] {
  if (!Array.isArray(value) || value.some((name) => typeof name !== 'string')) {
    throw typeMismatch(`$jsonSchema keyword '${keyword}' must be an array of strings`);
  }
  if (value.length === 0) throw failedToParse(`$jsonSchema keyword '${keyword}' cannot be an empty array`);
  return value as string[];
}

function count(keyword: string, value: Value): number {
  const integer = isNumeric(value) ? asInteger(value) : undefined;
  if (integer === undefined || integer < 0n)
    throw failedToParse(`$jsonSchema keyword '${keyword}' must be a non-negative integer`);
  return Number(integer);
}

function number(keyword: string, value: Value): Numeric {
  if (!isNumeric(value)) throw typeMismatch(`$jsonSchema keyword '${keyword}' must be a number`);
  return value;
}

const NUMBERS = ['int', 'long', 'double', 'decimal'];
const JSON_TYPES: Record<string, string[]> = {
  object: ['object'],
  array: ['array'],
  string: ['string'],
  number: NUMBERS,
  boolean: ['bool'],
  null: ['null'],
};

function typeCheck(keyword: string, value: Value): Check {
  const wanted = (Array.isArray(value) ? value : [value]).flatMap((name) => {
    if (typeof name !== 'string')
      throw typeMismatch(`$jsonSchema keyword '${keyword}' must be a string or an array of strings`);
    if (keyword === 'bsonType' && name === 'number') return NUMBERS;
    if (keyword === 'bsonType' && Object.hasOwn(TYPE_NUMBERS, name)) return [name];
    if (keyword === 'type' && Object.hasOwn(JSON_TYPES, name)) return JSON_TYPES[name] as string[];
    throw failedToParse(`$jsonSchema keyword '${keyword}' does not know the type ${name}`);
  });
  const types = new Set<string>(wanted);
  return (candidate) => types.has(typeName(candidate));
}

function limit(keyword: string, argument: Value, exclusive: Value | undefined, sign: 1 | -1): Check {
  const bound = number(keyword, argument);
  return onNumber((value) => {
    const order = compareNumbers(value, bound) * sign;
    return exclusive === true ? order > 0 : order >= 0;
  });
}

function additional(keyword: string, argument: Value): Check {
  if (typeof argument === 'boolean') return () => argument;
  return subSchema(keyword, argument);
}

function additionalProperties(argument: Value, schema: Doc): Check {
  const check = additional('additionalProperties', argument);
  const known = new Set(schemaMap('properties', schema.get('properties')).map(([name]) => name));
  const patterns = schemaMap('patternProperties', schema.get('patternProperties')).map(([pattern]) =>
    compileRegex(pattern, ''),
  );
  return onObject((value) =>
    [...value].every(
      ([name, member]) => known.has(name) || patterns.some((pattern) => pattern.test(name)) || check(member),
    ),
  );
}

function items(argument: Value): Check {
  if (!Array.isArray(argument)) {
    const check = subSchema('items', argument);
    return onArray((value) => value.every(check));
  }
  const checks = argument.map((entry) => subSchema('items', entry));
  return onArray((value) => checks.every((check, index) => index >= value.length || check(value[index] as Value)));
}

function dependencies(argument: Value): Check {
  if (!isDoc(argument)) throw typeMismatch("$jsonSchema keyword 'dependencies' must be an object");
  const checks = [...argument].map(([name, needed]) => {
    if (!Array.isArray(needed)) return { name, check: subSchema('dependencies', needed) };
    const required = names('dependencies', needed);
    return { name, check: onObject((value) => required.every((field) => value.has(field))) };
  });
  return onObject((value) => checks.every(({ name, check }) => !value.has(name) || check(value)));
}

const KEYWORDS: Readonly<Record<string, Keyword>> = {
  bsonType: (argument) => typeCheck('bsonType', argument),
  type: (argument) => typeCheck('type', argument),
  required: (argument) => {
    const required = names('required', argument);
    return onObject((value) => required.every((name) => value.has(name)));
  },
  properties: (argument) => {
    const checks = schemaMap('properties', argument);
    return onObject((value) => checks.every(([name, check]) => !value.has(name) || check(value.get(name) as Value)));
  },
  patternProperties: (argument) => {
    const checks = schemaMap('patternProperties', argument).map(([pattern, check]) => ({
      pattern: compileRegex(pattern, ''),
      check,
    }));
    return onObject((value) =>
      [...value].every(([name, member]) => checks.every(({ pattern, check }) => !pattern.test(name) || check(member))),
    );
  },
  additionalProperties,
  minProperties: (argument) => {
    const min = count('minProperties', argument);
    return onObject((value) => value.size >= min);
  },
  maxProperties: (argument) => {
    const max = count('maxProperties', argument);
    return onObject((value) => value.size <= max);
  },
  dependencies,
  items,
  additionalItems: (argument, schema) => {
    const check = additional('additionalItems', argument);
    const listed = schema.get('items');
    return onArray((value) => !Array.isArray(listed) || value.slice(listed.length).every(check));
  },
  minItems: (argument) => {
    const min = count('minItems', argument);
    return onArray((value) => value.length >= min);
  },
  maxItems: (argument) => {
    const max = count('maxItems', argument);
    return onArray((value) => value.length <= max);
  },
  uniqueItems: (argument) => {
    if (argument !== true) return () => true;
    return onArray((value) =>
      value.every((entry, index) => !value.slice(0, index).some((other) => same(entry, other))),
    );
  },
  minimum: (argument, schema) => limit('minimum', argument, schema.get('exclusiveMinimum'), 1),
  maximum: (argument, schema) => limit('maximum', argument, schema.get('exclusiveMaximum'), -1),
  multipleOf: (argument) => {
    const unit = number('multipleOf', argument);
    if (compareNumbers(unit, 0) <= 0)
      throw failedToParse("$jsonSchema keyword 'multipleOf' must have a positive value");
    return onNumber((value) => compareNumbers(remainder(value, unit), 0) === 0);
  },
  minLength: (argument) => {
    const min = count('minLength', argument);
    return onString((value) => [...value].length >= min);
  },
  maxLength: (argument) => {
    const max = count('maxLength', argument);
    return onString((value) => [...value].length <= max);
  },
  pattern: (argument) => {
    if (typeof argument !== 'string') throw typeMismatch("$jsonSchema keyword 'pattern' must be a string");
    const regex = compileRegex(argument, '');
    return onString((value) => regex.test(value));
  },
  enum: (argument) => {
    if (!Array.isArray(argument)) throw typeMismatch("$jsonSchema keyword 'enum' must be an array");
    if (argument.length === 0) throw failedToParse("$jsonSchema keyword 'enum' cannot be an empty array");
    return (value) => argument.some((entry) => same(entry, value));
  },
  allOf: (argument) => {
    const checks = schemaList('allOf', argument);
    return (value) => checks.every((check) => check(value));
  },
  anyOf: (argument) => {
    const checks = schemaList('anyOf', argument);
    return (value) => checks.some((check) => check(value));
  },
  oneOf: (argument) => {
    const checks = schemaList('oneOf', argument);
    return (value) => checks.filter((check) => check(value)).length === 1;
  },
  not: (argument) => {
    const check = subSchema('not', argument);
    return (value) => !check(value);
  },
};

/** Keywords without a rule of their own. */
const ANNOTATIONS = new Set(['title', 'description', 'exclusiveMinimum', 'exclusiveMaximum']);

function compileValue(schema: Doc): Check {
  const checks = [...schema].flatMap(([keyword, argument]) => {
    if (ANNOTATIONS.has(keyword)) return [];
    if (!Object.hasOwn(KEYWORDS, keyword)) {
      throw failedToParse(`$jsonSchema keyword '${keyword}' is not currently supported`);
    }
    return [(KEYWORDS[keyword] as Keyword)(argument, schema)];
  });
  return (value) => checks.every((check) => check(value));
}

/**
 * A JSON Schema as a test of documents.
 * @throws ServerError FailedToParse or TypeMismatch for a keyword that MongoDB does not take
 */
export function compileSchema(schema: Doc): (document: Doc) => boolean {
  const check = compileValue(schema);
  return (document) => check(document);
}
