import type { ErrorDetail } from '../../lib/errors';
import type { JsonObject } from '../../lib/json';

/** Which model is asked, and by whose key. `api_key` may be `{{ secret.NAME }}`. */
export interface ModelAsked {
  provider?: string;
  model?: string;
  api_key?: string;
  base_url?: string;
}

/** A model that a provider offers. */
export interface ListedModel {
  id: string;
  name: string;
  provider: string;
}

/** What a model has answered to a prompt. `data` is there when a schema was given. */
export interface PlaygroundAnswer {
  text: string;
  data?: unknown;
  finish_reason: string;
  provider: string;
  model: string;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number | null;
}

/** A workflow that a model has written; `errors` are those of the last try. */
export interface GeneratedWorkflow {
  dsl: JsonObject;
  valid: boolean;
  errors: ErrorDetail[];
  notes: string;
}

export interface AiActions {
  'ai.models': (p: ModelAsked) => { data: ListedModel[] };
  /** The fields of the step type `llm`. */
  'ai.playground': (p: ModelAsked & Record<string, unknown>) => PlaygroundAnswer;
  'ai.generate': (p: ModelAsked & { prompt: string }) => GeneratedWorkflow;
}
