import { CASE_SECRET, type NodeCase } from '../node-case';

export const cases: NodeCase[] = [
  {
    title: 'fails with its message',
    input: { message: 'No stock left' },
    outcome: { kind: 'fail', error: { code: 'failed', message: 'No stock left' }, retryable: false },
  },
  {
    title: 'fails with its code',
    input: { message: 'No stock left', code: 'no_stock' },
    outcome: { kind: 'fail', error: { code: 'no_stock', message: 'No stock left' }, retryable: false },
  },
  {
    title: 'a secret in the message is masked',
    input: { message: `bad key ${CASE_SECRET}` },
    outcome: { kind: 'fail', error: { code: 'failed', message: 'bad key ***' }, retryable: false },
  },
];
