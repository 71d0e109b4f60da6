import type { NodeCase } from '../node-case';
import { CASE_MODEL, caseUsage, modelSays } from './scripted-model';

const schema = {
  type: 'object',
  properties: { total: { type: 'number', description: 'In EUR' }, items: { type: 'array', items: { type: 'string' } } },
  required: ['total'],
};

export const cases: NodeCase[] = [
  {
    title: 'data come out of a text',
    input: { ...CASE_MODEL, text: 'Two lamps, 20 euros.', schema, instructions: 'Amounts in EUR.' },
    answers: [modelSays('{"total":20,"items":["lamp","lamp"]}')],
    outcome: {
      kind: 'done',
      output: { data: { total: 20, items: ['lamp', 'lamp'] }, ...caseUsage(1) },
      usage: { input_tokens: 100, output_tokens: 10 },
    },
  },
  {
    title: 'data that do not fit are asked for once more',
    input: { ...CASE_MODEL, text: 'Two lamps, 20 euros.', schema },
    answers: [modelSays('{"items":[]}'), modelSays('{"total":20}')],
    outcome: {
      kind: 'done',
      output: { data: { total: 20 }, ...caseUsage(2) },
      usage: { input_tokens: 200, output_tokens: 20 },
    },
  },
  {
    title: 'data that never fit fail the step',
    input: { ...CASE_MODEL, text: 'Nothing.', schema },
    answers: [modelSays('none'), modelSays('none')],
    outcome: { kind: 'fail', error: { code: 'invalid_answer', message: 'not valid JSON' }, retryable: true },
  },
  {
    title: 'a schema that is none is refused',
    input: { ...CASE_MODEL, text: 'x', schema: { properties: 7 } },
    outcome: { kind: 'fail', error: { code: 'invalid_config', message: '"schema"' }, retryable: false },
  },
];
