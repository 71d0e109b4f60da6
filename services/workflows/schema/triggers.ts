import { namesOfTrigger, type Setting, TRIGGER_TYPES, type TriggerType } from '../../../dsl';
import type { JsonSchema } from '../../../lib/schema';
import { keysOf } from './keys';

/** Types whose unknown settings the validator only warns about. */
const OPEN: ReadonlySet<string> = new Set(['manual', 'http']);

const SETTINGS: Readonly<Record<Exclude<Setting, readonly string[]>, JsonSchema>> = {
  text: { type: 'string' },
  duration: { $ref: '#/$defs/duration' },
  interval: { $ref: '#/$defs/duration' },
  poll: { $ref: '#/$defs/duration' },
  'slow poll': { $ref: '#/$defs/duration' },
  cron: { type: 'string' },
  zone: { type: 'string' },
  url: { type: 'string' },
  port: { type: 'integer', minimum: 1, maximum: 65_535 },
  flag: { type: 'boolean' },
  texts: { type: 'array', items: { type: 'string' } },
  map: { type: 'object' },
  signal: { type: 'string' },
  signature: { type: 'object' },
  expression: { type: 'string' },
  prose: { type: 'string' },
  'output text': { type: 'string' },
  redirect: { type: 'string' },
};

const settingSchema = (setting: Setting): JsonSchema =>
  typeof setting === 'string' ? SETTINGS[setting] : { enum: [...setting] };

/** What starts a run: a built-in type with its settings, or a custom one. */
export function triggerSchema(): JsonSchema {
  const types = [...TRIGGER_TYPES].map(([type, rules]) => ({
    names: namesOfTrigger(type),
    config: configOf(type, rules),
    rules,
  }));
  return {
    type: 'object',
    required: ['type'],
    properties: {
      type: { anyOf: [{ enum: types.flatMap(({ names }) => names) }, { type: 'string', pattern: '^custom-' }] },
      config: { type: 'object' },
    },
    propertyNames: keysOf(['type', 'config']),
    allOf: types.map(({ names, config, rules }) => ({
      if: { properties: { type: { enum: names } }, required: ['type'] },
      // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
      then: {
        properties: { config },
        ...(rules.required.length > 0 || rules.oneOf !== undefined ? { required: ['config'] } : {}),
      },
    })),
  };
}

const configOf = (type: string, { settings, required, oneOf }: TriggerType): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(Object.entries(settings).map(([name, setting]) => [name, settingSchema(setting)])),
  ...(required.length === 0 ? {} : { required: [...required] }),
  ...(oneOf === undefined ? {} : { oneOf: oneOf.map((name) => ({ required: [name] })) }),
  ...(OPEN.has(type) ? {} : { propertyNames: keysOf(Object.keys(settings)) }),
});
