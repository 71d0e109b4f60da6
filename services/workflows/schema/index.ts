import {
  BACKOFFS,
  CONTROL_TYPES,
  DOCUMENT_KEYS,
  ID_PATTERN,
  FLOW_LIMITS,
  LABEL_LIMITS,
  ON_CONFLICT,
  ON_ERROR,
  STEP_KEYS,
} from '../../../dsl';
import type { JsonSchema } from '../../../lib/schema';
import { isObject } from '../../../lib/json';
import { nodes } from '../../../nodes';
import { controls } from '../../../nodes/control';
import { keysOf } from './keys';
import { triggerSchema } from './triggers';
import { EXPRESSION, valuesOf } from './with-expressions';

const STEPS = { type: 'array', items: { $ref: '#/$defs/step' } } as const;
const TEXT = { type: 'string' } as const;
const CONDITION = { type: ['string', 'boolean'] } as const;
const DURATION = { $ref: '#/$defs/duration' } as const;
const RETRY = { $ref: '#/$defs/retry' } as const;
const TRIGGER = { $ref: '#/$defs/trigger' } as const;
const ID = { type: 'string', pattern: ID_PATTERN.source } as const;

/** Custom nodes and actions of imported connectors differ by tenant. */
const OWN_TYPES = { type: 'string', pattern: '^custom-' } as const;

let made: JsonSchema | null = null;

/** The JSON Schema (2020-12) of workflow documents, made of the tables that validation uses. The same at every call. */
export function documentSchema(): JsonSchema {
  made ??= {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Everstep workflow',
    type: 'object',
    required: ['id', 'steps'],
    properties: documentProperties(),
    propertyNames: keysOf([...DOCUMENT_KEYS, '$schema']),
    oneOf: [{ required: ['trigger'] }, { required: ['triggers'] }],
    $defs: {
      ...configs(),
      expression: EXPRESSION,
      step: stepSchema(),
      trigger: triggerSchema(),
      duration: {
        description: '500ms, 30s, 1h30m, 7d, or a number of seconds.',
        anyOf: [{ type: 'string' }, { type: 'number', exclusiveMinimum: 0 }],
      },
      retry: {
        type: 'object',
        properties: {
          max_attempts: { type: 'integer', minimum: 1, maximum: 100 },
          backoff: { enum: [...BACKOFFS] },
          initial_interval: DURATION,
          max_interval: DURATION,
          factor: { type: 'number', minimum: 1, maximum: 100 },
          jitter: { type: 'number', minimum: 0, maximum: 1 },
        },
        propertyNames: keysOf(['max_attempts', 'backoff', 'initial_interval', 'max_interval', 'factor', 'jitter']),
      },
    },
  };
  return made;
}

const documentProperties = (): Record<(typeof DOCUMENT_KEYS)[number] | '$schema', JsonSchema> => ({
  $schema: TEXT,
  id: ID,
  name: TEXT,
  description: TEXT,
  trigger: TRIGGER,
  triggers: { type: 'array', minItems: 1, maxItems: 20, items: TRIGGER },
  steps: { ...STEPS, minItems: 1 },
  retry: RETRY,
  timeout: DURATION,
  on_error: { ...STEPS, minItems: 1 },
  concurrency: {
    type: 'object',
    anyOf: [{ required: ['key'] }, { required: ['name'] }],
    properties: {
      key: TEXT,
      name: ID,
      limit: { type: 'integer', minimum: 1, maximum: 1_000 },
      on_conflict: { enum: [...ON_CONFLICT] },
    },
    propertyNames: keysOf(['key', 'name', 'limit', 'on_conflict']),
  },
  throttle: rateSchema({ burst: { type: 'integer', minimum: 1, maximum: FLOW_LIMITS.limit } }),
  rate_limit: rateSchema({}),
  debounce: gatheringSchema(['period'], { max_wait: DURATION }),
  batch: gatheringSchema(['period', 'max_size'], {
    max_size: { type: 'integer', minimum: FLOW_LIMITS.minBatch, maximum: FLOW_LIMITS.maxBatch },
  }),
  priority: { anyOf: [{ type: 'integer', minimum: 1, maximum: 5 }, EXPRESSION] },
  labels: {
    type: 'object',
    maxProperties: LABEL_LIMITS.count,
    propertyNames: { pattern: ID_PATTERN.source },
    additionalProperties: { type: ['string', 'number', 'boolean'], maxLength: LABEL_LIMITS.sourceChars },
  },
  output: {},
  inputs: { type: 'object' },
});

const rateSchema = (more: Record<string, JsonSchema>): JsonSchema => {
  const properties = {
    limit: { type: 'integer', minimum: 1, maximum: FLOW_LIMITS.limit },
    period: DURATION,
    key: TEXT,
    name: ID,
    ...more,
  };
  return { type: 'object', required: ['limit', 'period'], properties, propertyNames: keysOf(Object.keys(properties)) };
};

const gatheringSchema = (required: readonly string[], more: Record<string, JsonSchema>): JsonSchema => {
  const properties = { period: DURATION, key: TEXT, ...more };
  return { type: 'object', required: [...required], properties, propertyNames: keysOf(Object.keys(properties)) };
};

const stepProperties = (): Record<(typeof STEP_KEYS)[number], JsonSchema> => ({
  id: ID,
  type: { anyOf: [{ enum: knownTypes() }, OWN_TYPES] },
  name: TEXT,
  config: { type: 'object' },
  needs: { type: 'array', items: ID },
  if: CONDITION,
  retry: RETRY,
  timeout: DURATION,
  on_error: { anyOf: [{ enum: [...ON_ERROR] }, { ...STEPS, minItems: 1 }] },
  compensate: { ...STEPS, minItems: 1 },
  cache: {
    anyOf: [
      DURATION,
      {
        type: 'object',
        required: ['ttl'],
        properties: { ttl: DURATION, key: TEXT },
        propertyNames: keysOf(['ttl', 'key']),
      },
    ],
  },
  pin: { type: 'object' },
});

const knownTypes = (): string[] => [
  ...Object.values(controls).flatMap(({ type, aliases }) => [type, ...aliases]),
  ...[...nodes.types.values()].flatMap(({ type, aliases = [] }) => [type, ...aliases]),
];

/** A step: what every type has, and by its type its configuration and the lists of steps in it. */
function stepSchema(): JsonSchema {
  const held = Object.values(CONTROL_TYPES).flatMap(({ keys }): readonly string[] => keys);
  const holders = Object.values(controls).flatMap(({ type, aliases }) => [type, ...aliases]);
  return {
    type: 'object',
    required: ['id', 'type'],
    properties: stepProperties(),
    propertyNames: keysOf([...STEP_KEYS, ...held]),
    allOf: [
      {
        if: typeIs(holders),
        else: { propertyNames: keysOf(STEP_KEYS) },
      },
      ...Object.values(controls).map(({ type, aliases, input, step }) => {
        const own = valuesOf(step);
        return {
          if: typeIs([type, ...aliases]),
          // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
          then: {
            properties: { config: valuesOf(input), ...(isObject(own.properties) ? own.properties : {}) },
            required: [...requiredOf(step), ...(requiredOf(input).length > 0 ? ['config'] : [])],
            propertyNames: keysOf([...STEP_KEYS, ...CONTROL_TYPES[type].keys]),
          },
        };
      }),
      ...[...nodes.types.values()].map(({ type, aliases = [], input }) => ({
        if: typeIs([type, ...aliases]),
        // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
        then: {
          properties: { config: { $ref: `#/$defs/config:${type}` } },
          ...(requiredOf(input).length > 0 ? { required: ['config'] } : {}),
        },
      })),
    ],
  };
}

/** The configuration of each type of step; apart, so that validators compile each on its own. */
const configs = (): Record<string, JsonSchema> =>
  Object.fromEntries(
    [...nodes.types.values()].map(({ type, title, description, input }) => [
      `config:${type}`,
      { title, description, ...valuesOf(input) },
    ]),
  );

const typeIs = (types: readonly string[]): JsonSchema => ({
  properties: { type: { enum: [...types] } },
  required: ['type'],
});

const requiredOf = ({ required }: JsonSchema): readonly unknown[] => (Array.isArray(required) ? required : []);
