import { contract } from './contract';
import { ErrorDetail } from './shared';
import { DslDiffView } from './workflows/versions';
import { LLM_PROVIDERS } from '../lib/llm';
import { pageParams } from '../lib/page';
import * as s from '../lib/schema';

/** The provider, model and key of a request. `api_key` may be `{{ secret.NAME }}`. */
export interface ModelChoice {
  provider?: string;
  model?: string;
  api_key?: string;
  base_url?: string;
}

export const ListedModel = s.named(
  'ListedModel',
  s.object({
    id: s.text,
    name: s.text,
    provider: s.text,
  }),
  'A model that a provider offers.',
);
export type ListedModel = s.Infer<typeof ListedModel>;

export const PlaygroundAnswer = s.named(
  'PlaygroundAnswer',
  s.object({
    text: s.text,
    data: s.unknown.optional(),
    finish_reason: s.text,
    provider: s.text,
    model: s.text,
    input_tokens: s.number,
    output_tokens: s.number,
    cost_usd: s.number.nullable(),
  }),
  'What a model has answered to a prompt. `data` is there when a schema was given.',
);
export type PlaygroundAnswer = s.Infer<typeof PlaygroundAnswer>;

export const GeneratedWorkflow = s.named(
  'GeneratedWorkflow',
  s.object({
    dsl: s.jsonObject,
    valid: s.boolean,
    errors: s.array(ErrorDetail),
    notes: s.text,
    diff: DslDiffView.optional().about(
      'Of the given document and the written one; there if one was given and the other is valid.',
    ),
  }),
  'A workflow that a model has written; `errors` are those of the last try.',
);
export type GeneratedWorkflow = s.Infer<typeof GeneratedWorkflow>;

const optional = { optional: true } as const;

/** Maximum length of the description of a workflow that is to be generated. */
const MAX_PROMPT_CHARACTERS = 20_000;

const modelParams = {
  provider: { type: 'enum', values: [...LLM_PROVIDERS], ...optional },
  model: { type: 'string', min: 1, max: 200, ...optional },
  api_key: { type: 'string', max: 10_000, ...optional },
  base_url: { type: 'string', max: 2_000, ...optional },
} as const;

const generateParams = {
  ...modelParams,
  prompt: { type: 'string', min: 1, max: MAX_PROMPT_CHARACTERS },
  dsl: { type: 'object', ...optional },
} as const;

/** The schema of the step type validates the fields of the prompt. */
const playgroundParams = { ...modelParams, $$strict: false } as const;

export const aiContract = contract('ai', {
  models: {
    rest: 'GET /api/v1/llm/models',
    access: 'member',
    paged: 'catalogue',
    repeatable: true,
    integrators: true,
    summary: 'Models that a provider offers to a key',
    params: { ...modelParams, ...pageParams },
    result: s.listed(ListedModel),
    errors: ['forbidden', 'unknown_secret', 'provider_failed', 'provider_not_configured', 'rate_limited', 'timed_out'],
  },
  playground: {
    rest: 'POST /api/v1/playground/run',
    access: 'member',
    integrators: true,
    summary: 'One prompt, without a workflow',
    description: 'The fields of the step type `llm`.',
    params: playgroundParams,
    result: PlaygroundAnswer,
    errors: ['forbidden', 'unknown_secret', 'payload_too_large', 'provider_failed', 'provider_not_configured'],
  },
  /** A prompt of a service, such as that of a judge. Secrets of the tenant may be its key. */
  ask: {
    access: 'internal',
    summary: 'One prompt of a service',
    params: playgroundParams,
    result: PlaygroundAnswer,
    errors: ['unknown_secret', 'payload_too_large', 'provider_failed', 'provider_not_configured'],
  },
  generate: {
    rest: 'POST /api/v1/workflows/generate',
    access: 'member',
    integrators: true,
    summary: 'A workflow written from a description, or changed by one',
    description: 'With `dsl`, the model changes that document as the prompt says. Nothing is saved.',
    params: generateParams,
    result: GeneratedWorkflow,
    errors: ['forbidden', 'payload_too_large', 'provider_failed', 'provider_not_configured'],
  },
});
