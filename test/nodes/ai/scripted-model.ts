import type { JsonObject } from '../../../lib/json';
import type { ScriptedAnswer } from '../node-case';

/** Members of a case's input that name a model which need not exist. */
export const CASE_MODEL = {
  provider: 'openai-compatible',
  model: 'test-model',
  base_url: 'https://models.example.com/v1',
} as const;

/** What such a model answers, in the form of its protocol, for cases; it uses 100 tokens and 10. */
export const modelSays = (content: string, finish: 'stop' | 'length' = 'stop'): ScriptedAnswer =>
  completion({ role: 'assistant', content }, finish);

/** The same, asking for tools. */
export const modelCalls = (...calls: readonly { name: string; input: JsonObject }[]): ScriptedAnswer =>
  completion(
    {
      role: 'assistant',
      content: null,
      tool_calls: calls.map(({ name, input }, index) => ({
        id: `call_${index + 1}`,
        type: 'function',
        function: { name, arguments: JSON.stringify(input) },
      })),
    },
    'tool_calls',
  );

const completion = (message: JsonObject, finish: string): ScriptedAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    choices: [{ index: 0, message, finish_reason: finish }],
    usage: { prompt_tokens: 100, completion_tokens: 10 },
  }),
});

/** What a case's output says of the model and of what was used, after `requests` answers. */
export const caseUsage = (requests: number) => ({
  provider: CASE_MODEL.provider,
  model: CASE_MODEL.model,
  input_tokens: 100 * requests,
  output_tokens: 10 * requests,
  cost_usd: null,
});
