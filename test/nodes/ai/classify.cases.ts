import type { NodeCase } from '../node-case';
import { CASE_MODEL, caseUsage, modelSays } from './scripted-model';

const categories: { name: string; description: string }[] = [
  { name: 'invoice', description: 'Asks for money' },
  { name: 'other', description: 'The rest' },
];
const text = 'Please pay 20 euros.';
const usage = (requests: number) => ({ input_tokens: 100 * requests, output_tokens: 10 * requests });

export const cases: NodeCase[] = [
  {
    title: 'one category comes out, with a reason',
    input: { ...CASE_MODEL, text, categories, instructions: 'When in doubt: other.' },
    answers: [modelSays('{"reason":"It asks for money.","category":"invoice","confidence":0.9}')],
    outcome: {
      kind: 'done',
      output: { category: 'invoice', confidence: 0.9, reason: 'It asks for money.', ...caseUsage(1) },
      usage: usage(1),
    },
  },
  {
    title: 'several may fit, each once',
    input: { ...CASE_MODEL, text, categories, multiple: true },
    answers: [modelSays('{"reason":"Both.","categories":["invoice","other","invoice"],"confidence":1}')],
    outcome: {
      kind: 'done',
      output: { categories: ['invoice', 'other'], confidence: 1, reason: 'Both.', ...caseUsage(1) },
      usage: usage(1),
    },
  },
  {
    title: 'a category that there is not is sent back',
    input: { ...CASE_MODEL, text, categories },
    answers: [
      modelSays('{"reason":"A bill.","category":"bill","confidence":0.9}'),
      modelSays('{"reason":"A bill.","category":"invoice","confidence":0.9}'),
    ],
    outcome: {
      kind: 'done',
      output: { category: 'invoice', confidence: 0.9, reason: 'A bill.', ...caseUsage(2) },
      usage: usage(2),
    },
  },
  {
    title: 'two categories of one name are refused',
    input: { ...CASE_MODEL, text, categories: [{ name: 'a' }, { name: 'a' }] },
    outcome: { kind: 'fail', error: { code: 'invalid_config', message: 'the same name' }, retryable: false },
  },
];
