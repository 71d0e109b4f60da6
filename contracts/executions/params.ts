import { SAME_STARTS, type StartParams } from './views';
import { typed } from '../rules';
import { id } from '../rules';
import { pageParams } from '../../lib/page';

const optional = { optional: true } as const;

const text = (max: number) => ({ type: 'string', min: 1, max }) as const;

/** What a step of a run is called: its id, and the numbers of the loops that it is in. */
export const address = text(200);

/** How long a caller waits, in milliseconds. */
export const waitMs = { type: 'number', integer: true, min: 0, max: 3_600_000 } as const;

export const startParams = typed<StartParams>()({
  workflow_id: id,
  workflow_name: text(1_000),
  env: text(50),
  plan_hash: text(100),
  trigger_type: text(100),
  trigger: { type: 'object' },
  spread_body: { type: 'boolean', ...optional },
  execution_id: { type: 'uuid' },
  same: { type: 'enum', values: [...SAME_STARTS], ...optional },
  record: { type: 'boolean', ...optional },
  retry_of: { ...id, ...optional },
  preload_from: {
    type: 'object',
    ...optional,
    props: {
      execution_id: id,
      from_step: { ...text(10_000), ...optional },
      only_unchanged: { type: 'boolean', ...optional },
    },
  },
  labels: { type: 'record', key: 'string', value: 'string', ...optional },
  request_id: { type: 'string', max: 200, ...optional },
  wait_ms: { ...waitMs, ...optional },
  fresh: { type: 'boolean', ...optional },
  parent: { type: 'object', ...optional, props: { execution_id: id, path: text(10_000), awaited: 'boolean' } },
  queue: { ...text(100), ...optional },
  depth: { type: 'number', integer: true, min: 0, max: 100, ...optional },
});

export const listParams = {
  ...pageParams,
  cursor: { ...text(100), ...optional },
  status: { type: 'enum', values: ['running', 'completed', 'failed', 'cancelled'], ...optional },
  workflow_id: { ...id, ...optional },
  /** False: without trials. */
  trials: { type: 'boolean', convert: true, ...optional },
} as const;

/** The language of a query has bounds of its own, which say where. */
export const visibilityParams = {
  query: { type: 'string', max: 100_000, ...optional },
  ...pageParams,
  cursor: listParams.cursor,
  trials: listParams.trials,
} as const;

/** The hours of a chart. */
export const activityParams = {
  hours: { type: 'number', integer: true, convert: true, min: 1, max: 168, ...optional },
} as const;

/** What the steps wait for whose status is `waiting`. */
export const WAITING_KINDS = ['approval', 'form', 'signal', 'timer', 'child'] as const;

/** Where the caller has reached the API, for links where BASE_URL is not set. */
const origin = { type: 'string', pattern: /^https?:\/\/[\w.:[\]-]+$/, max: 300, ...optional } as const;

export const approvalsParams = {
  kind: { type: 'enum', values: [...WAITING_KINDS, 'all'], ...optional },
  mine: { type: 'boolean', convert: true, ...optional },
  ...pageParams,
  origin,
} as const;

export const decidedParams = {
  limit: pageParams.limit,
  cursor: { ...text(700), ...optional },
  mine: { type: 'boolean', convert: true, ...optional },
} as const;

export const decideParams = {
  id,
  step_id: address,
  decision: { type: 'enum', values: ['approve', 'reject'], ...optional },
  form: { type: 'any', ...optional },
  comment: { ...text(1_000), ...optional },
} as const;

/** A window of the steps of a run. */
const stepsWindow = {
  limit: { type: 'number', integer: true, min: 1, max: 1_000, convert: true, ...optional },
  offset: { type: 'number', integer: true, min: 0, max: Number.MAX_SAFE_INTEGER, convert: true, ...optional },
  cursor: { ...text(15_000), ...optional },
  parent: { ...text(10_000), ...optional },
  loops: { type: 'enum', values: ['expanded', 'collapsed'], ...optional },
  status: {
    type: 'enum',
    values: ['cancelled', 'completed', 'failed', 'pending', 'retrying', 'running', 'skipped', 'waiting'],
    ...optional,
  },
} as const;

/** Characters of JSON of each value; longer ones are cut. */
const maxValueChars = { type: 'number', integer: true, min: 100, max: 16_777_216, convert: true, ...optional } as const;

export const getParams = { id, max_value_chars: maxValueChars, origin } as const;

export const detailParams = {
  id,
  max_value_chars: maxValueChars,
  include: { ...text(100), ...optional },
  values: { type: 'boolean', convert: true, ...optional },
  ...stepsWindow,
  step_id: { ...address, ...optional },
  path: { ...text(10_000), ...optional },
} as const;

const json = { type: 'any', nullable: true, ...optional } as const;

export const evaluateParams = {
  items: {
    type: 'array',
    min: 1,
    max: 50,
    items: {
      type: 'object',
      props: {
        expression: { type: 'string', max: 16_384, ...optional },
        template: json,
        lenient: { type: 'boolean', ...optional },
      },
    },
  },
  context: {
    type: 'object',
    ...optional,
    props: {
      execution_id: { ...id, ...optional },
      step_id: { ...address, ...optional },
      sample: {
        type: 'object',
        ...optional,
        props: {
          trigger: json,
          steps: json,
          loop: json,
          error: json,
          vars: json,
          env: json,
          config: json,
          cursor: json,
        },
      },
    },
  },
  dsl: { type: 'object', ...optional },
} as const;

/** Log lines of a run after a position. */
export const logsParams = {
  id,
  after: { type: 'number', integer: true, min: 0, max: Number.MAX_SAFE_INTEGER, convert: true, ...optional },
  step_id: { ...address, ...optional },
  path: { ...text(10_000), ...optional },
  attempt: { type: 'number', integer: true, min: 1, max: Number.MAX_SAFE_INTEGER, convert: true, ...optional },
  limit: { type: 'number', integer: true, min: 1, max: 1_000, convert: true, ...optional },
} as const;

export const timelineParams = { id, ...stepsWindow } as const;

export const comparisonParams = {
  id,
  other: id,
  limit: { type: 'number', integer: true, min: 1, max: 200, convert: true, ...optional },
  cursor: stepsWindow.cursor,
  parent: stepsWindow.parent,
  differences: { type: 'boolean', convert: true, ...optional },
  changes: { type: 'number', integer: true, min: 0, max: 50, convert: true, ...optional },
} as const;

/** `reason`: shown with the run. */
export const pauseParams = { id, reason: { ...text(500), ...optional } } as const;

export const retryParams = {
  id,
  from_step: { ...text(10_000), ...optional },
  input: { type: 'object', ...optional },
  use_latest: { type: 'boolean', convert: true, ...optional },
  idempotency_key: { ...text(1_000), ...optional },
} as const;

export const signalParams = {
  id,
  // A name that begins with $ is the service's own.
  signal: { type: 'string', min: 1, max: 200, pattern: /^[^$]/ },
  data: { type: 'object', ...optional },
} as const;

export const bulkParams = {
  query: text(100_000),
  action: { type: 'enum', values: ['cancel', 'retry', 'signal', 'pause', 'resume'] },
  dry_run: { type: 'boolean', ...optional },
  signal: { ...signalParams.signal, ...optional },
  data: signalParams.data,
  from_step: retryParams.from_step,
  input: retryParams.input,
  use_latest: retryParams.use_latest,
  reason: pauseParams.reason,
  idempotency_key: retryParams.idempotency_key,
} as const;

export const deliverParams = {
  id,
  signal: signalParams.signal,
  data: { type: 'object' },
  message_id: { type: 'uuid' },
  by: text(200),
} as const;
