import { CONDITION_KINDS } from './views';
import { id, typed } from '../rules';
import type { Json, JsonObject } from '../../lib/json';

const optional = { optional: true } as const;
const words = { type: 'string', min: 1, max: 50, ...optional } as const;
const number = { type: 'number', ...optional } as const;

/** A channel in a request: what its kind needs. `id`: of the channel that it changes. */
export interface ChannelParams {
  id?: string;
  kind: 'mail' | 'webhook' | 'connector';
  to?: string[];
  url?: string;
  secret?: string | null;
  action?: string;
  connection?: string | null;
  input?: JsonObject;
  text_field?: string;
}

export interface ConditionParams {
  kind: (typeof CONDITION_KINDS)[number];
  [member: string]: Json | undefined;
}

export interface ScopeParams {
  kind: 'tenant' | 'workflows';
  workflow_ids?: string[];
}

export interface AlertParams {
  name: string;
  enabled?: boolean;
  scope?: ScopeParams;
  condition: ConditionParams;
  channels: ChannelParams[];
  quiet_period?: string;
}

/** What a rule is made of. Which members its kinds need is checked by the service, which names every fault. */
export const alertParams = {
  name: { type: 'string', min: 1, max: 200, trim: true },
  enabled: { type: 'boolean', ...optional },
  scope: {
    type: 'object',
    ...optional,
    props: {
      kind: { type: 'enum', values: ['tenant', 'workflows'] },
      workflow_ids: { type: 'array', items: id, min: 1, max: 200, ...optional },
    },
  },
  condition: {
    type: 'object',
    props: {
      kind: { type: 'enum', values: [...CONDITION_KINDS] },
      failures: number,
      percent: number,
      window: words,
      min_runs: number,
      longer_than: words,
      grace: words,
      state: { type: 'enum', values: ['running', 'waiting'], ...optional },
      of: { type: 'enum', values: ['cost_usd', 'tokens', 'executions'], ...optional },
      per: { type: 'enum', values: ['day', 'month'], ...optional },
      above: number,
      percent_of_plan: number,
    },
  },
  channels: {
    type: 'array',
    min: 1,
    max: 5,
    items: {
      type: 'object',
      props: {
        id: { type: 'string', min: 1, max: 20, ...optional },
        kind: { type: 'enum', values: ['mail', 'webhook', 'connector'] },
        to: { type: 'array', items: { type: 'string', min: 1, max: 254 }, min: 1, max: 20, ...optional },
        url: { type: 'string', min: 1, max: 2_000, ...optional },
        secret: { type: 'string', min: 16, max: 200, nullable: true, ...optional },
        action: { type: 'string', min: 1, max: 200, ...optional },
        connection: { type: 'string', min: 1, max: 200, nullable: true, ...optional },
        input: { type: 'object', ...optional },
        text_field: { type: 'string', min: 1, max: 100, ...optional },
      },
    },
  },
  quiet_period: words,
} as const;

export const createParams = typed<AlertParams>()(alertParams);
export const updateParams = typed<AlertParams & { id: string }>()({ id, ...alertParams });
