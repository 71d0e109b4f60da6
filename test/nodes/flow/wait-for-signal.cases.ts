import { CASE_NOW, CASE_SECRET, type NodeCase } from '../node-case';

export const cases: NodeCase[] = [
  {
    title: 'waits for as long as it takes',
    input: { signal: 'paid' },
    outcome: {
      kind: 'wait',
      wait: {
        kind: 'signal',
        signal: 'paid',
        until: null,
        onTimeout: { kind: 'fail', error: { code: 'timed_out', message: 'no signal "paid" came in time' } },
      },
    },
  },
  {
    title: 'a time-out may let the run go on',
    input: { signal: 'paid', timeout: '7d', on_timeout: 'continue' },
    outcome: {
      kind: 'wait',
      wait: {
        kind: 'signal',
        signal: 'paid',
        until: CASE_NOW + 7 * 86_400_000,
        onTimeout: { kind: 'complete', output: { timed_out: true } },
      },
    },
  },
  {
    title: 'a secret in the name is not in the message',
    input: { signal: `paid-${CASE_SECRET}`, timeout: 1 },
    outcome: {
      kind: 'wait',
      wait: {
        kind: 'signal',
        signal: `paid-${CASE_SECRET}`,
        until: CASE_NOW + 1_000,
        onTimeout: { kind: 'fail', error: { code: 'timed_out', message: 'no signal "paid-***" came in time' } },
      },
    },
  },
  {
    title: 'a time-out longer than 100 years is refused',
    input: { signal: 'paid', timeout: '99999d' },
    outcome: { kind: 'fail', error: { code: 'invalid_config', message: '"timeout"' }, retryable: false },
  },
];
