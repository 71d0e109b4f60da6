import Ajv, { type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';
import { isObject, type Json } from '../../lib/json';
import { hasExpression } from '../interpolation';
import type { JsonSchema } from '../document';
import { didYouMean } from '../suggest';
import { type Issues, memberPath, typeName } from './issues';
import { formsText } from '../../lib/json-schema/forms';

/** Keywords that validate a value as a whole, which is unknown before its expressions are evaluated. */
const JUDGE_WHOLE: ReadonlySet<string> = new Set([
  'anyOf',
  'oneOf',
  'not',
  'if',
  'contains',
  'minContains',
  'maxContains',
  'uniqueItems',
  'const',
  'enum',
]);

/** The compiled form of each schema seen, or why it has none. */
const compiled = new WeakMap<JsonSchema, ValidateFunction | string>();

/**
 * Checks a step's configuration against its node type's JSON Schema. A string that holds an expression satisfies
 * everything: its value is checked when the step runs.
 */
export function checkConfig(config: Json, schema: JsonSchema, path: string, issues: Issues): void {
  const validate = validatorFor(schema);
  if (typeof validate === 'string') {
    issues.error(path, 'the step type describes its configuration by an invalid JSON Schema', validate);
    return;
  }
  if (validate(config)) return;
  const dynamic = dynamicPlaces(config);
  for (const error of relevant(validate.errors ?? [], dynamic)) report(error, config, path, issues);
}

function validatorFor(schema: JsonSchema): ValidateFunction | string {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const validate = compileSchema(schema);
  compiled.set(schema, validate);
  return validate;
}

function compileSchema(schema: JsonSchema): ValidateFunction | string {
  // One instance per schema: an instance never releases what it compiled, and rejects two schemas with the same $id.
  const ajv = new Ajv({
    strict: false,
    allErrors: true,
    ownProperties: true,
    validateFormats: false,
    logger: false,
    // Errors then carry the schema that they come from, whose properties are what might have been meant.
    verbose: true,
  });
  try {
    return ajv.compile(schema);
  } catch (error) {
    // A schema of a tenant's own node type may be broken; that is a finding about the document that uses it.
    return error instanceof Error ? error.message : String(error);
  }
}

/** JSON pointers of the strings that hold expressions, and of everything around them. */
interface DynamicPlaces {
  readonly strings: ReadonlySet<string>;
  readonly around: ReadonlySet<string>;
}

function dynamicPlaces(config: Json): DynamicPlaces {
  const strings = new Set<string>();
  const around = new Set<string>();
  const visit = (value: Json, pointer: string): boolean => {
    if (typeof value === 'string') {
      if (!hasExpression(value)) return false;
      strings.add(pointer);
      return true;
    }
    if (value === null || typeof value !== 'object') return false;
    let dynamic = false;
    for (const key of Object.keys(value)) {
      const member = (Array.isArray(value) ? value[Number(key)] : value[key]) as Json;
      dynamic = visit(member, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`) || dynamic;
    }
    if (dynamic) around.add(pointer);
    return dynamic;
  };
  visit(config, '');
  return { strings, around };
}

/**
 * Errors that do not depend on the values of expressions. Of alternatives only the result stays, not the reasons of
 * each.
 */
function relevant(errors: readonly ErrorObject[], { strings, around }: DynamicPlaces): ErrorObject[] {
  const inside = errors
    .filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')
    .map((e) => `${e.schemaPath}/`);
  const undecided = errors
    .filter(({ keyword, instancePath }) => keyword === 'if' && around.has(instancePath))
    .flatMap(({ schemaPath }) => ['then/', 'else/'].map((branch) => schemaPath.replace(/if$/, branch)));
  return errors.filter(
    ({ keyword, instancePath, schemaPath }) =>
      !strings.has(instancePath) &&
      !(JUDGE_WHOLE.has(keyword) && around.has(instancePath)) &&
      ![...inside, ...undecided].some((prefix) => schemaPath.startsWith(prefix)),
  );
}

function report(error: ErrorObject, config: Json, path: string, issues: Issues): void {
  const keys = pointerKeys(error.instancePath);
  const here = keys.reduce<string>(memberPath, path);
  const { params, keyword, message = 'is not valid' } = error;
  switch (keyword) {
    case 'required':
      issues.error(memberPath(here, params.missingProperty), 'is required');
      return;
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const known = Object.keys(propertiesAt(error));
      const key: string = params.additionalProperty ?? params.unevaluatedProperty;
      const hint = didYouMean(key, known) ?? (known.length > 0 ? `known are ${known.join(', ')}` : undefined);
      issues.error(memberPath(here, key), 'unknown key of this step type', hint);
      return;
    }
    case 'enum': {
      const value = valueAt(config, keys);
      const allowed = (params.allowedValues as unknown[]).map(String);
      const hint = typeof value === 'string' ? didYouMean(value, allowed) : undefined;
      issues.error(here, `must be one of ${allowed.join(', ')}`, hint);
      return;
    }
    case 'type':
      issues.error(
        here,
        `must be ${String(params.type).replaceAll(',', ' or ')}, not ${typeName(valueAt(config, keys))}`,
      );
      return;
    case 'anyOf':
    case 'oneOf':
      // With `verbose`, the value of the keyword.
      issues.error(here, `has none of the allowed forms: ${formsText(error.schema as Json[])}`);
      return;
    case 'if':
      // Its then or else has its own error.
      return;
    default:
      issues.error(here, message);
  }
}

const propertiesAt = ({ parentSchema }: ErrorObject): Record<string, unknown> => {
  const properties: unknown = parentSchema?.properties;
  return isObject(properties) ? properties : {};
};

/** The keys of a JSON pointer (RFC 6901); indexes of lists as numbers. */
const pointerKeys = (pointer: string): (string | number)[] =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((key) => (/^\d+$/.test(key) ? Number(key) : key));

function valueAt(config: Json, keys: readonly (string | number)[]): unknown {
  let value: unknown = config;
  for (const key of keys) value = Object(value)[key];
  return value;
}
