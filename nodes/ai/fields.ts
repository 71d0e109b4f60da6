import { LLM_PROVIDERS } from '../../lib/llm';
import type { JsonSchema } from '../contract';
import { objectSchema } from '../schema';

/** Which model, and by whose key: what every step of this family takes. */
export const MODEL_FIELDS = {
  provider: {
    type: 'string',
    title: 'Provider',
    description: 'Model provider. Default: the first one that the installation has access to.',
    enum: [...LLM_PROVIDERS],
  },
  model: {
    type: 'string',
    title: 'Model',
    description: 'Name of the model at the provider. Default: that of the installation, if set.',
    minLength: 1,
    maxLength: 200,
    examples: ['gpt-4.1-mini'],
  },
  api_key: {
    type: 'string',
    title: 'API key',
    description: "Usually a secret. With your own key or base URL, the installation's access is not used.",
    examples: ['{{ secret.OPENAI_KEY }}'],
  },
  base_url: {
    type: 'string',
    title: 'Base URL',
    description: 'Base URL of the API including the version; required for openai-compatible.',
    minLength: 1,
    maxLength: 2_000,
    examples: ['http://localhost:11434/v1'],
  },
} as const satisfies Record<string, JsonSchema>;

const SYSTEM: JsonSchema = {
  type: 'string',
  title: 'System',
  description: 'System prompt: role and rules of the model.',
  examples: ['You answer in one sentence.'],
};

/** How a model is to answer. */
export const SAMPLING_FIELDS = {
  temperature: {
    type: 'number',
    title: 'Temperature',
    description: 'From 0 (most deterministic) to 2. Some models do not support it.',
    minimum: 0,
    maximum: 2,
  },
  max_tokens: {
    type: 'integer',
    title: 'Maximum tokens',
    description: 'Maximum length of the answer.',
    minimum: 1,
    maximum: 1_000_000,
  },
} as const satisfies Record<string, JsonSchema>;

const part: JsonSchema = {
  oneOf: [
    objectSchema(
      {
        type: { const: 'text', title: 'Text', description: 'A text part.' },
        text: { type: 'string', title: 'Text', description: 'The text.' },
      },
      ['type', 'text'],
    ),
    objectSchema(
      {
        type: { const: 'image', title: 'Image', description: 'An image, as URL or data.' },
        url: { type: 'string', title: 'URL', description: 'Absolute, http or https.', minLength: 1 },
        base64: {
          type: 'string',
          title: 'Data',
          description: 'Image in base64, instead of a URL.',
          minLength: 1,
        },
        media_type: { type: 'string', title: 'Media type', description: 'Media type of the data, such as image/png.' },
      },
      ['type'],
      {
        oneOf: [{ required: ['url'] }, { required: ['base64'] }].map((one) => ({
          ...one,
          properties: { url: true, base64: true },
          type: 'object',
        })),
      },
    ),
  ],
};

/** Input of the model: one prompt, or a conversation. */
export const PROMPT_FIELDS = {
  prompt: {
    type: 'string',
    title: 'Prompt',
    description: 'Prompt.',
    minLength: 1,
    examples: ['Summarise in one sentence: {{ trigger.body.text }}'],
  },
  messages: {
    type: 'array',
    title: 'Messages',
    description: 'A conversation, instead of a prompt; content is text, or a list of texts and images.',
    minItems: 1,
    maxItems: 1_000,
    items: objectSchema(
      {
        role: {
          type: 'string',
          title: 'Role',
          description: 'Role of the author.',
          enum: ['system', 'user', 'assistant'],
        },
        content: {
          title: 'Content',
          description: 'The text.',
          anyOf: [{ type: 'string' }, { type: 'array', items: part, minItems: 1, maxItems: 100 }],
        },
      },
      ['role', 'content'],
    ),
    examples: [[{ role: 'user', content: 'Hello' }]],
  },
  system: SYSTEM,
} as const satisfies Record<string, JsonSchema>;

/** The schema of an answer, by which its data are checked. */
export const answerSchemaField = (title: string, description: string): JsonSchema => ({
  type: 'object',
  title,
  description: `${description} As JSON Schema.`,
  examples: [{ type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }],
});

/** What a step has used: members of its output. */
export const USAGE_FIELDS = {
  input_tokens: { type: 'integer', title: 'Input tokens', description: 'Total of all requests of the step.' },
  output_tokens: { type: 'integer', title: 'Output tokens', description: 'Total of all requests of the step.' },
  cost_usd: {
    title: 'Cost',
    description: 'In USD by list price; null if the price of the model is unknown.',
    anyOf: [{ type: 'number' }, { type: 'null' }],
  },
} as const satisfies Record<string, JsonSchema>;

/** Who has answered: members of a step's output. */
export const ANSWERED_BY = {
  provider: { type: 'string', title: 'Provider', description: 'Provider of the model.' },
  model: { type: 'string', title: 'Model', description: 'Requested model.' },
} as const satisfies Record<string, JsonSchema>;
