import { LLM_PROVIDERS } from '../../lib/llm';
import type { JsonSchema } from '../contract';
import { objectSchema } from '../schema';

/** Which model, and by whose key: what every step of this family takes. */
export const MODEL_FIELDS = {
  provider: {
    type: 'string',
    title: 'Provider',
    description: 'Who runs the model. Without it, the first that the installation has access to.',
    enum: [...LLM_PROVIDERS],
  },
  model: {
    type: 'string',
    title: 'Model',
    description: "The model's name at the provider. Without it, the installation's own, if it names one.",
    minLength: 1,
    maxLength: 200,
    examples: ['gpt-4.1-mini'],
  },
  api_key: {
    type: 'string',
    title: 'API key',
    description: "Normally a secret. With a key or a base URL of your own, the installation's access is not used.",
    examples: ['{{ secret.OPENAI_KEY }}'],
  },
  base_url: {
    type: 'string',
    title: 'Base URL',
    description: 'Where the provider answers, with the version in it; needed for openai-compatible.',
    minLength: 1,
    maxLength: 2_000,
    examples: ['http://localhost:11434/v1'],
  },
} as const satisfies Record<string, JsonSchema>;

const SYSTEM: JsonSchema = {
  type: 'string',
  title: 'System',
  description: 'Who the model is to be, and the rules that it keeps.',
  examples: ['You answer in one sentence.'],
};

/** How a model is to answer. */
export const SAMPLING_FIELDS = {
  temperature: {
    type: 'number',
    title: 'Temperature',
    description: 'From 0, the likeliest answer, to 2. Some models take none.',
    minimum: 0,
    maximum: 2,
  },
  max_tokens: {
    type: 'integer',
    title: 'Most tokens',
    description: 'Where the answer is cut off.',
    minimum: 1,
    maximum: 1_000_000,
  },
} as const satisfies Record<string, JsonSchema>;

const part: JsonSchema = {
  oneOf: [
    objectSchema(
      {
        type: { const: 'text', title: 'Text', description: 'A piece of text.' },
        text: { type: 'string', title: 'Text', description: 'The text.' },
      },
      ['type', 'text'],
    ),
    objectSchema(
      {
        type: { const: 'image', title: 'Image', description: 'A picture, by its address or as data.' },
        url: { type: 'string', title: 'URL', description: 'Absolute, http or https.', minLength: 1 },
        base64: {
          type: 'string',
          title: 'Data',
          description: 'The picture in base64, instead of a URL.',
          minLength: 1,
        },
        media_type: { type: 'string', title: 'Media type', description: 'Of the data, such as image/png.' },
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
    description: 'What is asked.',
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
        role: { type: 'string', title: 'Role', description: 'Who speaks.', enum: ['system', 'user', 'assistant'] },
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
  input_tokens: { type: 'integer', title: 'Input tokens', description: 'Of all requests of the step together.' },
  output_tokens: { type: 'integer', title: 'Output tokens', description: 'Of all requests of the step together.' },
  cost_usd: {
    title: 'Cost',
    description: 'In USD by list price; null when no price of the model is known.',
    anyOf: [{ type: 'number' }, { type: 'null' }],
  },
} as const satisfies Record<string, JsonSchema>;

/** Who has answered: members of a step's output. */
export const ANSWERED_BY = {
  provider: { type: 'string', title: 'Provider', description: 'Who ran the model.' },
  model: { type: 'string', title: 'Model', description: 'The model that was asked.' },
} as const satisfies Record<string, JsonSchema>;
