import { CASE_NOW, type NodeCase } from '../node-case';

const at = (ms: number) => ({ until: new Date(ms).toISOString() });
const timer = (ms: number): NodeCase['outcome'] => ({
  kind: 'wait',
  wait: { kind: 'timer', until: ms, output: at(ms) },
});
const invalid = (message: string): NodeCase['outcome'] => ({
  kind: 'fail',
  error: { code: 'invalid_config', message },
  retryable: false,
});

export const cases: NodeCase[] = [
  { title: 'waits for a duration', input: { for: '1h30m' }, outcome: timer(CASE_NOW + 5_400_000) },
  { title: 'a number is seconds', input: { for: 1.5 }, outcome: timer(CASE_NOW + 1_500) },
  {
    title: 'waits longer than a timer of the process can',
    input: { for: '400d' },
    outcome: timer(CASE_NOW + 400 * 86_400_000),
  },
  {
    title: 'waits until an instant',
    input: { until: '2030-01-02T01:00:00+01:00' },
    outcome: timer(CASE_NOW + 86_400_000),
  },
  {
    title: 'an instant may be in lower case',
    input: { until: '2030-01-02t00:00:00z' },
    outcome: timer(CASE_NOW + 86_400_000),
  },
  {
    title: 'an instant in the past is no wait',
    input: { until: '2020-01-01T00:00:00Z' },
    outcome: { kind: 'done', output: at(Date.UTC(2020, 0, 1)) },
  },
  { title: 'a duration of nothing is no wait', input: { for: 0 }, outcome: { kind: 'done', output: at(CASE_NOW) } },
  { title: 'a date alone is no instant', input: { until: '2030-01-02' }, outcome: invalid('"until"') },
  {
    title: 'a time without an offset is no instant',
    input: { until: '2030-01-02T00:00:00' },
    outcome: invalid('"until"'),
  },
  {
    title: 'a day that no month has is no instant',
    input: { until: '2030-02-30T00:00:00Z' },
    outcome: invalid('"until"'),
  },
  {
    title: 'a month that no year has is no instant',
    input: { until: '2030-13-01T00:00:00Z' },
    outcome: invalid('"until"'),
  },
  { title: 'longer than 100 years is refused', input: { for: '99999d' }, outcome: invalid('"for"') },
];
