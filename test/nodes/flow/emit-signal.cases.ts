import { CASE_SECRET, type NodeCase } from '../node-case';

const sent = (signal: string): NodeCase['outcome'] => ({ kind: 'done', output: { signal, started: [], refused: [] } });

export const cases: NodeCase[] = [
  {
    title: 'a signal goes to one run',
    input: { signal: 'paid', execution_id: '0198c0de-0000-7000-8000-000000000001', data: { amount: 12 } },
    emits: [{ executionId: '0198c0de-0000-7000-8000-000000000001', signal: 'paid', data: { amount: 12 } }],
    outcome: sent('paid'),
  },
  {
    title: 'or to workflows that it triggers, with no data',
    input: { signal: 'paid' },
    emits: [{ signal: 'paid', data: {} }],
    outcome: sent('paid'),
  },
  {
    title: 'a secret in the name is masked in the output',
    input: { signal: `paid-${CASE_SECRET}` },
    emits: [{ signal: `paid-${CASE_SECRET}`, data: {} }],
    outcome: sent('paid-***'),
  },
];
