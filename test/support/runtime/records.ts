import type { JournalRecord } from '../../../runtime/core/entries/entry';
import type { Message } from '../../../runtime/core/state/state';
import type { Ending, Execution } from '../../../runtime/core/model';

/** A moment without fractions of a second, as any store keeps it. */
export const T0 = Date.UTC(2030, 0, 1);

export const execution = (id: string, given: Partial<Execution> = {}): Execution => ({
  id,
  tenantId: 'tenant',
  workflowId: 'workflow',
  workflowName: 'Workflow',
  planHash: 'hash',
  env: 'dev',
  status: 'running',
  triggerType: 'manual',
  trigger: {},
  inputKey: null,
  output: null,
  error: null,
  response: null,
  waiting: [],
  retryOf: null,
  resumeFrom: null,
  parent: null,
  depth: 0,
  concurrency: null,
  requestId: null,
  startedAt: T0,
  deadlineAt: null,
  endedAt: null,
  steps: 0,
  tokens: 0,
  costUsd: 0,
  owner: 'h1',
  epoch: 1,
  claims: 0,
  size: 0,
  signals: 0,
  wakeAt: null,
  messageSeq: 0,
  parked: false,
  cancelling: false,
  pause: null,
  cleanupDeadline: null,
  outbox: [],
  ...given,
});

/** A run that waits to be claimed. */
export const ready = (id: string, wakeAt = T0, given: Partial<Execution> = {}): Execution =>
  execution(id, { owner: null, epoch: 0, wakeAt, ...given });

export const record = (executionId: string, n: number, given: Partial<JournalRecord> = {}): JournalRecord => ({
  executionId,
  n,
  epoch: 1,
  host: 'h1',
  at: T0,
  before: n - 1,
  json: JSON.stringify([{ kind: 'step.skipped', path: `s${n}`, at: T0 }]),
  ...given,
});

export const mail = (id: string, given: Partial<Message> = {}): Message => ({
  id,
  name: 'go',
  data: {},
  by: null,
  at: T0,
  ...given,
});

export const ending = (given: Partial<Ending> = {}): Ending => ({
  status: 'completed',
  startedAt: T0,
  endedAt: T0 + 1_000,
  output: null,
  error: null,
  response: null,
  steps: 0,
  tokens: 0,
  costUsd: 0,
  outbox: [],
  ...given,
});
