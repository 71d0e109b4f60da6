import { json, type Route } from './route';

/** Language models, by hand. */
export const aiRoutes: readonly Route[] = [
  json('GET /api/v1/llm/models', 'ai.models', { summary: 'Models that a provider offers to a key' }),
  json('POST /api/v1/playground/run', 'ai.playground', { summary: 'One prompt, without a workflow' }),
  json('POST /api/v1/workflows/generate', 'ai.generate', { summary: 'A workflow written from a description' }),
];
