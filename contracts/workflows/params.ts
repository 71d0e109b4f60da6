import { id, typed } from '../rules';
import { type RunCause, WORKFLOW_ENVS } from './views';
import { pageParams } from '../../lib/page';

export const name = { type: 'string', trim: true, min: 1, max: 200 } as const;

const optional = { optional: true } as const;

const MAX_TAGS = 20;

const tag = { type: 'string', trim: true, min: 1, max: 50 } as const;

/** Names between slashes, such as `Sales/Orders`; empty: in no folder. */
const folder = {
  type: 'string',
  max: 200,
  pattern: /^(?:[^/\s](?:[^/]*[^/\s])?(?:\/[^/\s](?:[^/]*[^/\s])?)*)?$/,
  messages: { stringPattern: "The 'folder' must be names with slashes between them, such as Sales/Orders." },
} as const;

/** The name of a folder in a path. */
export const folderParam = { ...folder, min: 1 } as const;

const editable = {
  tags: { type: 'array', items: tag, max: MAX_TAGS, unique: true, ...optional },
  folder: { ...folder, ...optional },
  description: { type: 'string', max: 10_000, ...optional },
  env: { type: 'enum', values: [...WORKFLOW_ENVS], ...optional },
  webhook_api_key: { type: 'string', nullable: true, ...optional },
} as const;

export const createParams = {
  name,
  ...editable,
  dsl: { type: 'any' },
  publish: { type: 'boolean', ...optional },
} as const;

/** The header `If-Match` as it came: quoted hashes, or `*`. */
export const ifMatch = { type: 'string', max: 2_000, ...optional } as const;

const hash = { type: 'string', min: 1, max: 200 } as const;

export const updateParams = {
  id,
  if_match: ifMatch,
  name: { ...name, ...optional },
  ...editable,
  dsl: { type: 'any', ...optional },
} as const;

export const draftParams = {
  id,
  dsl: { type: 'object' },
  base_hash: { ...hash, ...optional },
  if_match: ifMatch,
  if_none_match: ifMatch,
} as const;

export const publishParams = {
  id,
  dsl: { type: 'any', ...optional },
  draft_hash: { ...hash, ...optional },
  message: { type: 'string', trim: true, max: 1_000, ...optional },
  if_match: ifMatch,
} as const;

const WORKFLOW_SORTS = ['name', '-name', 'created_at', '-created_at', 'updated_at', '-updated_at'] as const;
export type WorkflowSort = (typeof WORKFLOW_SORTS)[number];

export const listParams = {
  ...pageParams,
  q: { type: 'string', trim: true, max: 200, ...optional },
  tag: { ...tag, ...optional },
  folder: { ...folder, ...optional },
  status: { type: 'enum', values: ['active', 'pending_approval'], ...optional },
  enabled: { type: 'boolean', convert: true, ...optional },
  trigger: { type: 'string', min: 1, max: 100, ...optional },
  env: { type: 'enum', values: [...WORKFLOW_ENVS], ...optional },
  sort: { type: 'enum', values: [...WORKFLOW_SORTS], ...optional },
  cursor: { type: 'string', min: 1, max: 2_000, ...optional },
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
  cause: typed<RunCause>()({
    type: 'object',
    strict: false,
    props: { kind: { type: 'enum', values: ['signal', 'ended', 'billing'] } },
  }),
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

export const documentStepTestParams = {
  dsl: { type: 'any' },
  step_id: id,
  workflow_id: { ...id, ...optional },
  trigger: object,
  steps: object,
  loop: object,
  error: object,
  from_execution: { ...id, ...optional },
} as const;

export const tryParams = {
  dsl: { type: 'any' },
  workflow_id: { ...id, ...optional },
  trigger: object,
  until_step: { ...id, ...optional },
  pins: { type: 'record', key: 'string', value: 'object', ...optional },
  from_execution: { ...id, ...optional },
  suppress_writes: { type: 'boolean', ...optional },
  now: { type: 'string', max: 40, ...optional },
  wait: { type: 'boolean', convert: true, ...optional },
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

export const nodeTypesParams = { ...pageParams, category: word, kind: word } as const;

export const approveParams = {
  id,
  version: { type: 'number', integer: true, min: 1, optional: true },
  dsl_hash: { type: 'string', min: 1, max: 200, optional: true },
} as const;

export const variablesName = {
  type: 'string',
  pattern: /^[A-Za-z_]\w{0,127}$/,
  messages: {
    stringPattern: "The 'name' must be 1 to 128 letters, digits and underscores, and not begin with a digit.",
  },
} as const;

/** What a workflow may name that its tenant has, and may delete: by id or name. */
export const REF_KINDS = ['connection', 'knowledge_base', 'skill', 'workflow'] as const;
export type RefKind = (typeof REF_KINDS)[number];

/** As slugs of tenants are. */
const SLUG = /^[a-z0-9](?:[a-z0-9-]{1,61}[a-z0-9])$/;

const slug = {
  type: 'string',
  pattern: SLUG,
  messages: {
    stringPattern:
      "The 'slug' must be 3 to 63 lower-case letters, digits and hyphens, and neither begin nor end with a hyphen.",
  },
} as const;

export const chatParams = {
  id,
  slug,
  title: { type: 'string', trim: true, min: 1, max: 200 },
  greeting: { type: 'string', max: 2_000, ...optional },
  input_field: {
    type: 'string',
    pattern: /^[A-Za-z_][\w-]{0,63}$/,
    messages: { stringPattern: "The 'input_field' must be a name of letters, digits, underscores and hyphens." },
    ...optional,
  },
  output_field: { type: 'string', min: 1, max: 200, ...optional },
  allowed_origins: {
    type: 'array',
    max: 50,
    items: {
      type: 'string',
      max: 300,
      pattern: /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?$/,
      messages: { stringPattern: "The 'allowed_origins' must look like https://www.example.com, in lower case." },
    },
    ...optional,
  },
  rate_limit: {
    type: 'object',
    props: {
      per_minute: { type: 'number', integer: true, min: 1, max: 6_000, ...optional },
      burst: { type: 'number', integer: true, min: 1, max: 1_000, ...optional },
    },
    ...optional,
  },
} as const;

export const chatUpdateParams = {
  ...chatParams,
  slug: id,
  title: { ...chatParams.title, ...optional },
} as const;

export const number = { type: 'number', integer: true, min: 1, max: 1_000_000_000, convert: true } as const;

export const which = { type: 'string', pattern: /^(?:current|[1-9]\d{0,8})$/ } as const;
