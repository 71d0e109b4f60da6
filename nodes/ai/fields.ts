import { LLM_PROVIDERS } from '../../lib/llm';
import type { JsonSchema } from '../contract';
import { choice, filledText, integer, list, number, objectSchema, text } from '../schema';

/** Input fields for the model and its credentials, for all AI steps. */
export const MODEL_FIELDS = {
  provider: choice([...LLM_PROVIDERS], 'Model provider. Default: the first one that the installation has access to.'),
  model: filledText('Name of the model at the provider. Default: that of the installation, if set.', 'gpt-4.1-mini', {
    maxLength: 200,
  }),
  api_key: text(
    "Usually a secret. With your own key or base URL, the installation's access is not used.",
    '{{ secret.OPENAI_KEY }}',
  ),
  base_url: filledText(
    'Base URL of the API including the version; required for openai-compatible.',
    'http://localhost:11434/v1',
    { maxLength: 2_000 },
  ),
} as const satisfies Record<string, JsonSchema>;

const SYSTEM: JsonSchema = text('System prompt: role and rules of the model.', 'You answer in one sentence.');

/** How a model is to answer. */
export const SAMPLING_FIELDS = {
  temperature: number('From 0 (most deterministic) to 2. Some models do not support it.', { minimum: 0, maximum: 2 }),
  max_tokens: integer('Maximum length of the answer.', { minimum: 1, maximum: 1_000_000 }),
} as const satisfies Record<string, JsonSchema>;

const part: JsonSchema = {
  oneOf: [
    objectSchema(
      {
        type: { const: 'text', title: 'Text', description: 'A text part.' },
        text: text('The text.'),
      },
      ['type', 'text'],
    ),
    objectSchema(
      {
        type: { const: 'image', title: 'Image', description: 'An image, as URL or data.' },
        url: filledText('Absolute, http or https.'),
        base64: filledText('Image in base64, instead of a URL.', { title: 'Data' }),
        media_type: text('Media type of the data, such as image/png.', { title: 'Media type' }),
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
  prompt: filledText('Prompt.', 'Summarise in one sentence: {{ trigger.body.text }}'),
  messages: list(
    objectSchema(
      {
        role: choice(['system', 'user', 'assistant'], 'Role of the author.'),
        content: {
          title: 'Content',
          description: 'The text.',
          anyOf: [{ type: 'string' }, { type: 'array', items: part, minItems: 1, maxItems: 100 }],
        },
      },
      ['role', 'content'],
    ),
    'A conversation, instead of a prompt; content is text, or a list of texts and images.',
    [{ role: 'user', content: 'Hello' }],
    { minItems: 1, maxItems: 1_000 },
  ),
  system: SYSTEM,
} as const satisfies Record<string, JsonSchema>;

/** The schema of an answer, by which its data are checked. */
export const answerSchemaField = (title: string, description: string): JsonSchema => ({
  type: 'object',
  title,
  description: `${description} As JSON Schema.`,
  examples: [{ type: 'object', properties: { name: { type: 'string' } }, required: ['name'] }],
});

/** Output fields with the usage of a step. */
export const USAGE_FIELDS = {
  input_tokens: integer('Total of all requests of the step.'),
  output_tokens: integer('Total of all requests of the step.'),
  cost_usd: {
    title: 'Cost',
    description: 'In USD by list price; null if the price of the model is unknown.',
    anyOf: [{ type: 'number' }, { type: 'null' }],
  },
} as const satisfies Record<string, JsonSchema>;

/** Who has answered: members of a step's output. */
export const ANSWERED_BY = {
  provider: text('Provider of the model.'),
  model: text('Requested model.'),
} as const satisfies Record<string, JsonSchema>;
