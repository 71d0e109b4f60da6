import { CASE_SECRET, type NodeCase } from '../node-case';

export const cases: NodeCase[] = [
  {
    title: 'writes a line',
    input: { message: 'Order 7 came in' },
    logs: [{ level: 'info', message: 'Order 7 came in' }],
    outcome: { kind: 'done', output: { level: 'info', message: 'Order 7 came in' } },
  },
  {
    title: 'writes data beside it',
    input: { message: 'low stock', level: 'warn', data: { left: 3 } },
    logs: [{ level: 'warn', message: 'low stock', data: { left: 3 } }],
    outcome: { kind: 'done', output: { level: 'warn', message: 'low stock' } },
  },
  {
    title: 'a value is written as JSON',
    input: { message: { id: 7 } },
    logs: [{ level: 'info', message: '{"id":7}' }],
    outcome: { kind: 'done', output: { level: 'info', message: '{"id":7}' } },
  },
  {
    title: 'a secret is masked',
    input: { message: `key ${CASE_SECRET}` },
    logs: [{ level: 'info', message: 'key ***' }],
    outcome: { kind: 'done', output: { level: 'info', message: 'key ***' } },
  },
];
