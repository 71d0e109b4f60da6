import type { JsonObject } from '../../../lib/json';
import { CASE_NOW, type NodeCase } from '../node-case';

const decided = (approved: boolean, ms: number): JsonObject => ({
  approved,
  comment: null,
  decided_by: null,
  decided_at: new Date(ms).toISOString(),
  form: null,
});

export const cases: NodeCase[] = [
  {
    title: 'asks for as long as it takes',
    input: { message: 'Ship?' },
    outcome: {
      kind: 'wait',
      wait: {
        kind: 'approval',
        message: 'Ship?',
        approvers: [],
        form: null,
        until: null,
        onTimeout: { kind: 'complete', output: decided(false, CASE_NOW) },
      },
    },
  },
  {
    title: 'a time-out rejects by default',
    input: { message: 'Ship?', approvers: ['ops@example.com'], form: { type: 'object' }, timeout: '3d' },
    outcome: {
      kind: 'wait',
      wait: {
        kind: 'approval',
        message: 'Ship?',
        approvers: ['ops@example.com'],
        form: { type: 'object' },
        until: CASE_NOW + 3 * 86_400_000,
        onTimeout: { kind: 'complete', output: decided(false, CASE_NOW + 3 * 86_400_000) },
      },
    },
  },
  {
    title: 'a time-out may approve',
    input: { message: 'Ship?', timeout: 60, on_timeout: 'approve' },
    outcome: {
      kind: 'wait',
      wait: {
        kind: 'approval',
        message: 'Ship?',
        approvers: [],
        form: null,
        until: CASE_NOW + 60_000,
        onTimeout: { kind: 'complete', output: decided(true, CASE_NOW + 60_000) },
      },
    },
  },
  {
    title: 'a time-out may fail the step',
    input: { message: 'Ship?', timeout: '1h', on_timeout: 'fail' },
    outcome: {
      kind: 'wait',
      wait: {
        kind: 'approval',
        message: 'Ship?',
        approvers: [],
        form: null,
        until: CASE_NOW + 3_600_000,
        onTimeout: { kind: 'fail', error: { code: 'timed_out', message: 'no decision was made in time' } },
      },
    },
  },
  {
    title: 'a time-out longer than 100 years is refused',
    input: { message: 'Ship?', timeout: '99999d' },
    outcome: { kind: 'fail', error: { code: 'invalid_config', message: '"timeout"' }, retryable: false },
  },
];
