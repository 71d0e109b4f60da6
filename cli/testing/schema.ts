import type { JsonObject } from '../../lib/json';

const text = { type: 'string', minLength: 1 } as const;
const any = {} as const;
const mock = {
  anyOf: [
    {
      type: 'object',
      additionalProperties: false,
      required: ['output'],
      properties: { output: { type: 'object', description: 'What the step answers; it does not run.' } },
    },
    {
      type: 'object',
      additionalProperties: false,
      required: ['error'],
      properties: {
        error: {
          type: 'object',
          additionalProperties: false,
          required: ['message'],
          properties: { message: text, code: { type: 'string', pattern: '^[A-Za-z][\\w.-]{0,63}$' } },
          description: 'How the step fails; it does not run.',
        },
      },
    },
  ],
} as const;

const step = {
  type: 'object',
  additionalProperties: false,
  properties: {
    status: { enum: ['completed', 'failed', 'cancelled', 'skipped', 'pending', 'waiting'] },
    output: any,
    input: any,
    error: { type: 'object', additionalProperties: false, properties: { code: text, message: text } },
    count: { type: 'integer', minimum: 0, description: 'How many times it ran, in all iterations.' },
  },
} as const;

/** One for every time, or a list. */
const answers = <T extends JsonObject>(one: T) => ({
  anyOf: [one, { type: 'array', minItems: 1, maxItems: 1000, items: one }],
});

/** The JSON Schema (draft 2020-12) of a file of tests, for editors and for `everstep test` itself. */
export const TEST_FILE_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Tests of an Everstep workflow',
  type: 'object',
  additionalProperties: false,
  required: ['cases'],
  properties: {
    $schema: text,
    workflow: { ...text, description: 'The file of the workflow; else the one of the same name beside this file.' },
    secrets: { type: 'object', additionalProperties: text, description: 'Values of secrets that the workflow names.' },
    cases: {
      type: 'array',
      minItems: 1,
      maxItems: 1000,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['name'],
        properties: {
          name: text,
          trigger: { type: 'object', description: 'What the run sees as `trigger`, such as {"body": {...}}.' },
          now: {
            type: 'string',
            pattern: '^\\d{4}-\\d\\d-\\d\\d(T.+)?$',
            description:
              'When the run starts, such as 2026-03-01T09:00:00Z. Its time is simulated: no timer is waited for.',
          },
          vars: { type: 'object', description: 'Variables of the workspace in this case.' },
          mocks: {
            type: 'object',
            description: 'By step id: an output or an error, or a list of them, one for each iteration.',
            additionalProperties: {
              anyOf: [...mock.anyOf, { type: 'array', minItems: 1, maxItems: 1000, items: mock }],
            },
          },
          approvals: {
            type: 'object',
            description: 'Decisions by step id: one for all passes of a loop, or a list, used in its order.',
            additionalProperties: answers({
              type: 'object',
              required: ['approved'],
              properties: { approved: { type: 'boolean' } },
            }),
          },
          forms: {
            type: 'object',
            description:
              'Values of forms by the id of their step: for all passes of a loop, or a list, used in its order.',
            additionalProperties: answers({ type: 'object' }),
          },
          signals: {
            description: 'Sent in this order, each when the run waits for it; or data by the name of the signal.',
            anyOf: [
              {
                type: 'array',
                items: {
                  type: 'object',
                  additionalProperties: false,
                  required: ['signal'],
                  properties: { signal: text, data: { type: 'object' } },
                },
              },
              { type: 'object', additionalProperties: answers({ type: 'object' }) },
            ],
          },
          allow_network: { type: 'boolean', description: 'Steps that only read run for real. Writes never do.' },
          timeout: { type: 'number', exclusiveMinimum: 0, maximum: 600, description: 'Seconds; 15 unless given.' },
          expect: {
            type: 'object',
            additionalProperties: false,
            properties: {
              status: { enum: ['completed', 'failed', 'cancelled', 'waiting'] },
              output: { ...any, description: 'What the output has at least.' },
              output_equals: { ...any, description: 'The whole output.' },
              error: { type: 'object', additionalProperties: false, properties: { code: text, message: text } },
              steps: { type: 'object', additionalProperties: step, description: 'By id, or by path in loops.' },
              not_called: { type: 'array', items: text, description: 'Ids of steps that must not have run.' },
            },
          },
        },
      },
    },
  },
};
