import { CASE_NOW, type NodeCase } from '../node-case';

const fields = { type: 'object', properties: { street: { type: 'string' } } };

export const cases: NodeCase[] = [
  {
    title: 'asks for as long as it takes',
    input: { fields },
    outcome: {
      kind: 'wait',
      wait: {
        kind: 'form',
        title: '',
        description: '',
        submit: '',
        access: 'page',
        form: fields,
        until: null,
        onTimeout: { kind: 'fail', error: { code: 'timed_out', message: 'the form was not filled in in time' } },
      },
    },
  },
  {
    title: 'a time-out may let the run go on',
    input: {
      fields,
      title: 'Address',
      description: 'Where?',
      submit: 'Order',
      access: 'link',
      timeout: '7d',
      on_timeout: 'continue',
    },
    outcome: {
      kind: 'wait',
      wait: {
        kind: 'form',
        title: 'Address',
        description: 'Where?',
        submit: 'Order',
        access: 'link',
        form: fields,
        until: CASE_NOW + 7 * 86_400_000,
        onTimeout: { kind: 'complete', output: { timed_out: true } },
      },
    },
  },
  {
    title: 'fields without properties are refused',
    input: { fields: { type: 'string' } },
    outcome: { kind: 'fail', error: { code: 'invalid_config', message: "'fields' must be" }, retryable: false },
  },
  {
    title: 'fields that are no schema are refused',
    input: { fields: { properties: { a: { type: 'nothing' } } } },
    outcome: { kind: 'fail', error: { code: 'invalid_config', message: 'is not a JSON Schema' }, retryable: false },
  },
  {
    title: 'more fields than a page has are refused',
    input: { fields: { properties: Object.fromEntries(Array.from({ length: 41 }, (_, n) => [`f${n}`, {}])) } },
    outcome: { kind: 'fail', error: { code: 'invalid_config', message: 'at most 40' }, retryable: false },
  },
  {
    title: 'a time-out longer than 100 years is refused',
    input: { fields, timeout: '99999d' },
    outcome: { kind: 'fail', error: { code: 'invalid_config', message: '"timeout"' }, retryable: false },
  },
];
