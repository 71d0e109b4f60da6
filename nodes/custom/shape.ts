import type { JsonSchema } from '../contract';
import { CUSTOM_KINDS, CUSTOM_LIMITS, FIELD_TYPES } from './definition';

const text = (maxLength: number): JsonSchema => ({ type: 'string', maxLength });
const textOrNull = (maxLength: number): JsonSchema => ({ type: ['string', 'null'], maxLength });

/** Names in expressions: `config.api_key`, `steps.weather.temperature`. */
const member: JsonSchema = { type: 'string', pattern: '^_?[A-Za-z]\\w{0,63}$' };

const option: JsonSchema = {
  anyOf: [
    text(200),
    { type: 'number' },
    {
      type: 'object',
      properties: { value: { type: ['string', 'number'], maxLength: 200 }, label: text(200) },
      required: ['value'],
    },
  ],
};

const field: JsonSchema = {
  type: 'object',
  properties: {
    name: member,
    label: text(200),
    description: text(2_000),
    type: { enum: FIELD_TYPES },
    required: { type: 'boolean' },
    secret: { type: 'boolean' },
    options: { type: ['array', 'null'], minItems: 1, maxItems: CUSTOM_LIMITS.options, items: option },
  },
  required: ['name'],
};

const output: JsonSchema = {
  type: 'object',
  properties: { name: member, path: text(500) },
  required: ['name'],
};

/** The shape of a definition as people send it; what its parts mean to each other is looked at afterwards. */
export const DEFINITION_SHAPE: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,49}$' },
    type: { type: 'string', pattern: '^custom-[a-z][a-z0-9-]{0,49}$' },
    label: text(200),
    description: textOrNull(2_000),
    icon: textOrNull(8_192),
    color: { type: ['string', 'null'], pattern: '^(?:#[0-9A-Fa-f]{3,8}|[A-Za-z]{1,30})$' },
    kind: { enum: CUSTOM_KINDS },
    config_fields: { type: 'array', maxItems: CUSTOM_LIMITS.fields, items: field },
    outputs: { type: 'array', maxItems: CUSTOM_LIMITS.outputs, items: output },
    request: { type: 'object', required: ['url'] },
    poll: {
      type: ['object', 'null'],
      properties: { items: textOrNull(500), id: textOrNull(500), cursor: textOrNull(500) },
      additionalProperties: false,
    },
  },
  required: ['request'],
};
