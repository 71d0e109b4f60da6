import { WORKFLOW_ENVS } from './contract';

/** Shapes of the params of actions, as fastest-validator states them. What `dsl` holds is the language's to check. */
export const id = { type: 'string', min: 1, max: 100 } as const;

export const name = { type: 'string', trim: true, min: 1, max: 200 } as const;

const optional = { optional: true } as const;

const editable = {
  description: { type: 'string', max: 10_000, ...optional },
  env: { type: 'enum', values: [...WORKFLOW_ENVS], ...optional },
  webhook_api_key: { type: 'string', nullable: true, ...optional },
} as const;

export const createParams = { name, ...editable, dsl: { type: 'any' } } as const;

export const updateParams = {
  id,
  name: { ...name, ...optional },
  ...editable,
  dsl: { type: 'any', ...optional },
} as const;

export const listParams = {
  limit: { type: 'number', integer: true, min: 1, max: 200, convert: true, ...optional },
  offset: { type: 'number', integer: true, min: 0, max: Number.MAX_SAFE_INTEGER, convert: true, ...optional },
} as const;

export const triggerParams = {
  id,
  trigger: { type: 'object' },
  idempotency_key: { type: 'string', min: 1, max: 1_000, ...optional },
} as const;

const object = { type: 'object', ...optional } as const;

export const signalParams = {
  // What begins with $ is the service's own; decisions of approvals are sent to the run that asks for them.
  signal: { type: 'string', min: 1, max: 200, pattern: /^(?!\$|approve-)/ },
  data: object,
  idempotency_key: { type: 'string', min: 1, max: 1_000, ...optional },
} as const;

export const reactParams = {
  cause: { type: 'object', strict: false, props: { kind: { type: 'enum', values: ['signal', 'ended', 'billing'] } } },
  depth: { type: 'number', integer: true, min: 0, max: 100 },
} as const;

export const stepTestParams = {
  id,
  step_id: id,
  trigger: object,
  steps: object,
  loop: object,
  error: object,
  pin: { type: 'boolean', ...optional },
} as const;

export const pinParams = {
  id,
  step_id: id,
  output: object,
  execution_id: { ...id, ...optional },
  path: { type: 'string', min: 1, max: 10_000, ...optional },
} as const;

export const customNodeTestParams = { type: id, config: object, steps: object, trigger: object } as const;

export const actionTestParams = { name: id, action: id, connection: { ...name, ...optional }, input: object } as const;

const word = { type: 'string', max: 100, ...optional } as const;

export const nodeTypesParams = { category: word, kind: word } as const;
