import { edited, isActive } from '../../../services/workflows/change';
import type { Definition } from '../../../services/workflows/definition';
import type { WorkflowRecord } from '../../../services/workflows/models';
import { fileName, workflowInFile } from '../../../services/workflows/file';
import { toHealth } from '../../../services/workflows/health';
import { givenWebhookKey, newWebhookKey } from '../../../services/workflows/webhook-key';

const record = (fields: Partial<WorkflowRecord> = {}): WorkflowRecord => ({
  _id: 'w',
  tenant_id: 't',
  name: 'Name',
  description: '',
  env: 'dev',
  dsl: '{}',
  dsl_hash: 'old',
  plan_hash: 'old-plan',
  triggers: ['http'],
  secrets: [],
  status: 'active',
  enabled: true,
  version: 3,
  revision: 9,
  slot: 's',
  webhook_key_hash: null,
  webhook_key_tail: null,
  deleted_at: null,
  created_by: 'u',
  created_at: new Date(0),
  updated_at: new Date(0),
  ...fields,
});

const definition = (dslHash: string, planHash: string): Definition => ({
  dsl: '{"id":"new"}',
  dslHash,
  plan: {
    format: 1,
    hash: planHash,
    id: 'new',
    name: 'new',
    triggers: [{ type: 'manual', config: {} }],
    steps: [],
    timeoutMs: null,
    secrets: ['A'],
  },
  customTypes: [],
  refs: [],
  warnings: [],
});

describe('the change that an edit makes', () => {
  test('has only the given fields', () => {
    expect(edited(record(), {}, 'active')).toEqual({});
    expect(edited(record(), { name: 'N', env: 'staging' }, 'active')).toEqual({ name: 'N', env: 'staging' });
    expect(edited(record(), { webhookKey: null }, 'active')).toEqual({
      webhook_key_hash: null,
      webhook_key_tail: null,
    });
  });

  test('raises the version with a DSL that differs', () => {
    expect(edited(record(), { definition: definition('new', 'new-plan') }, 'active')).toEqual({
      dsl: '{"id":"new"}',
      dsl_hash: 'new',
      plan_hash: 'new-plan',
      step_words: '',
      triggers: ['manual'],
      topics: [],
      raw_body: false,
      signed: false,
      dedupes: false,
      timers: [],
      custom_types: [],
      refs: [],
      secrets: ['A'],
      version: 4,
      status: 'active',
    });
  });

  test('replaces the plan of an equal DSL without a new version or a new approval', () => {
    const patch = edited(record(), { definition: definition('old', 'newer-plan') }, 'pending_approval');
    expect(patch).toEqual({
      plan_hash: 'newer-plan',
      step_words: '',
      triggers: ['manual'],
      topics: [],
      raw_body: false,
      signed: false,
      dedupes: false,
      timers: [],
      custom_types: [],
      refs: [],
      secrets: ['A'],
    });
  });

  test.each([
    ['active', 'active', 'active'],
    ['active', 'pending_approval', 'pending_approval'],
    ['pending_approval', 'active', 'pending_approval'],
  ] as const)(
    'of a DSL, on a workflow that is %s, by someone whose work is %s, makes it %s',
    (before, status, after) => {
      const patch = edited(record({ status: before }), { definition: definition('new', 'p') }, status);
      expect(patch.status).toBe(after);
    },
  );
});

test.each([
  [true, 'active', true],
  [false, 'active', false],
  [true, 'pending_approval', false],
  [false, 'pending_approval', false],
] as const)('enabled %p and %s is active: %p', (enabled, status, active) => {
  expect(isActive({ enabled, status })).toBe(active);
});

test.each([
  ['Order intake', 'order-intake.service.json'],
  ['  ..//Größe: 7% \r\n"x" ', 'gro-e-7-x.service.json'],
  ['注文', 'workflow.service.json'],
  ['---', 'workflow.service.json'],
  ['CON', 'con.service.json'],
  [`${'a'.repeat(59)} b`, `${'a'.repeat(59)}.service.json`],
])('the file of %j is called %s', (name, file) => {
  expect(fileName(name)).toBe(file);
});

test('a file may contain a workflow in an envelope or alone', () => {
  const workflow = { name: 'x', dsl: {} };
  expect(workflowInFile({ format: 'everstep.workflow', format_version: 1, workflow })).toBe(workflow);
  expect(workflowInFile(workflow)).toBe(workflow);
  expect(() => workflowInFile({ format: 'everstep.workflow', workflow })).toThrow(/\(missing\)/);
});

test.each([
  [0, 0, null],
  [1, 2, 0.3333],
  [5, 0, 1],
])('%i completed and %i failed runs are a success rate of %p', (completed, failed, rate) => {
  const none = { total: 0, cancelled: 3, running: 1, waiting: 1, p50_ms: null, p95_ms: null };
  const figures = { ...none, completed, failed, last_execution_at: null, last_error: null };
  expect(toHealth(record(), figures).success_rate).toBe(rate);
});

describe('a webhook key', () => {
  test.each([
    'x'.repeat(15),
    'x'.repeat(201),
    'with a space in the middle',
    'tab\tin the middle of it',
    'ümlaut-in-the-key',
    '',
  ])('of %j is refused', (text) => expect(() => givenWebhookKey(text)).toThrow(/16 to 200 visible/));

  test('is kept as its hash and its last four characters', () => {
    const key = givenWebhookKey('0123456789abcdef');
    expect(key.tail).toBe('cdef');
    expect(key.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(newWebhookKey().value).not.toBe(newWebhookKey().value);
  });
});
