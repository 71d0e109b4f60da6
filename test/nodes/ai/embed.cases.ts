import type { NodeCase, ScriptedAnswer } from '../node-case';
import { CASE_MODEL } from './scripted-model';

const vectors = (...embeddings: number[][]): ScriptedAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    data: embeddings.map((embedding, index) => ({ index, embedding })),
    usage: { prompt_tokens: 3 },
  }),
});

const used = {
  provider: CASE_MODEL.provider,
  model: CASE_MODEL.model,
  input_tokens: 3,
  output_tokens: 0,
  cost_usd: null,
};
const usage = { input_tokens: 3, output_tokens: 0 };

export const cases: NodeCase[] = [
  {
    title: 'one text gives one vector',
    input: { ...CASE_MODEL, text: 'one' },
    answers: [vectors([0.1, 0.2, 0.3])],
    sends: [{ method: 'POST', url: 'https://models.example.com/v1/embeddings' }],
    outcome: { kind: 'done', output: { embeddings: [[0.1, 0.2, 0.3]], dimension: 3, ...used }, usage },
  },
  {
    title: 'several texts give as many, in their order',
    input: { ...CASE_MODEL, texts: ['one', 'two'] },
    answers: [vectors([1], [2])],
    outcome: { kind: 'done', output: { embeddings: [[1], [2]], dimension: 1, ...used }, usage },
  },
  {
    title: 'fewer vectors than texts are no answer',
    input: { ...CASE_MODEL, texts: ['one', 'two'] },
    answers: [vectors([1])],
    outcome: { kind: 'fail', error: { code: 'llm_answer', message: 'too few' }, retryable: true },
  },
  {
    title: 'a provider without vectors says so',
    input: { provider: 'anthropic', model: 'claude', api_key: 'k', text: 'one' },
    sends: [],
    outcome: { kind: 'fail', error: { code: 'llm_unsupported', message: 'no embeddings' }, retryable: false },
  },
];
