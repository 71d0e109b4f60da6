import { EgressError } from '../../../lib/egress';
import { CASE_SECRET, type NodeCase } from '../node-case';
import { CASE_MODEL, caseUsage, modelSays } from './scripted-model';

const usage = (requests: number) => ({ input_tokens: 100 * requests, output_tokens: 10 * requests });
const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'], additionalProperties: false };

export const cases: NodeCase[] = [
  {
    title: 'a prompt is answered',
    input: { ...CASE_MODEL, prompt: 'Hello', system: 'Be brief.', temperature: 0, max_tokens: 5, stop: ['.'] },
    answers: [modelSays('Hi')],
    sends: [{ method: 'POST', url: 'https://models.example.com/v1/chat/completions', maxRedirects: 0 }],
    outcome: {
      kind: 'done',
      output: { text: 'Hi', finish_reason: 'stop', ...caseUsage(1) },
      usage: usage(1),
    },
  },
  {
    title: 'a conversation is answered, with texts and pictures in it',
    input: {
      ...CASE_MODEL,
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hi' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image', url: 'https://example.com/a.png' },
          ],
        },
      ],
    },
    answers: [modelSays('A picture', 'length')],
    outcome: {
      kind: 'done',
      output: { text: 'A picture', finish_reason: 'length', ...caseUsage(1) },
      usage: usage(1),
    },
  },
  {
    title: 'an answer is data when a schema is given',
    input: { ...CASE_MODEL, prompt: 'A number', schema },
    answers: [modelSays('```json\n{"n": 7}\n```')],
    outcome: {
      kind: 'done',
      output: { text: '```json\n{"n": 7}\n```', data: { n: 7 }, finish_reason: 'stop', ...caseUsage(1) },
      usage: usage(1),
    },
  },
  {
    title: 'data need not be an object',
    input: { ...CASE_MODEL, prompt: 'Numbers', schema: { type: 'array', items: { type: 'integer' } } },
    answers: [modelSays('{"value":[1,2]}')],
    outcome: {
      kind: 'done',
      output: { text: '{"value":[1,2]}', data: [1, 2], finish_reason: 'stop', ...caseUsage(1) },
      usage: usage(1),
    },
  },
  {
    title: 'data that do not fit are asked for once more',
    input: { ...CASE_MODEL, prompt: 'A number', schema },
    answers: [modelSays('{"n":"seven"}'), modelSays('{"n":7}')],
    outcome: {
      kind: 'done',
      output: { text: '{"n":7}', data: { n: 7 }, finish_reason: 'stop', ...caseUsage(2) },
      usage: usage(2),
    },
  },
  {
    title: 'data that do not fit the second time either fail the step',
    input: { ...CASE_MODEL, prompt: 'A number', schema },
    answers: [modelSays('seven'), modelSays('{"m":7}')],
    outcome: { kind: 'fail', error: { code: 'invalid_answer', message: 'n' }, retryable: true },
  },
  {
    title: 'a schema that is none is refused before anything is asked',
    input: { ...CASE_MODEL, prompt: 'A number', schema: { type: 'nonsense' } },
    sends: [],
    outcome: { kind: 'fail', error: { code: 'invalid_config', message: '"schema"' }, retryable: false },
  },
  {
    title: 'without a provider, and without one of the installation, the step fails',
    input: { prompt: 'Hello' },
    sends: [],
    outcome: { kind: 'fail', error: { code: 'invalid_config', message: 'LLM_<PROVIDER>_API_KEY' }, retryable: false },
  },
  {
    title: 'haste is retried after the pause that is asked for',
    input: { ...CASE_MODEL, prompt: 'Hello' },
    answers: [{ status: 429, headers: { 'retry-after': '9' }, body: '{"error":{"message":"slow down"}}' }],
    outcome: {
      kind: 'fail',
      error: { code: 'llm_rate_limited', message: 'openai-compatible answered 429: slow down' },
      retryable: true,
      retryAfterMs: 9_000,
    },
  },
  {
    title: 'a refusal is final, and quotes no key',
    input: { ...CASE_MODEL, prompt: 'Hello', api_key: CASE_SECRET },
    answers: [{ status: 401, body: `{"error":{"message":"Incorrect key ${CASE_SECRET}"}}` }],
    outcome: { kind: 'fail', error: { code: 'llm_key_refused', message: 'Incorrect key ***' }, retryable: false },
  },
  {
    title: 'a forbidden address is final',
    input: { ...CASE_MODEL, prompt: 'Hello' },
    answers: [new EgressError('blocked', '10.0.0.1:80 is not a public address (private)')],
    outcome: { kind: 'fail', error: { code: 'llm_blocked', message: 'not a public address' }, retryable: false },
  },
];
