import { LLM_PROVIDERS } from '../../lib/llm';

const optional = { optional: true } as const;

/** What of a workflow a person describes, in characters. */
export const MOST_PROMPT = 20_000;

export const modelParams = {
  provider: { type: 'enum', values: [...LLM_PROVIDERS], ...optional },
  model: { type: 'string', min: 1, max: 200, ...optional },
  api_key: { type: 'string', max: 10_000, ...optional },
  base_url: { type: 'string', max: 2_000, ...optional },
} as const;

export const generateParams = {
  ...modelParams,
  prompt: { type: 'string', min: 1, max: MOST_PROMPT },
} as const;

/** The fields of a prompt are looked at by the schema of the step type. */
export const playgroundParams = { ...modelParams, $$strict: false } as const;
