import { compile, type NodeTypes, prepare, type WorkflowDocument } from '../../../dsl';
import type { Json, JsonObject } from '../../../lib/json';
import { waitingToDocument } from '../../../runtime/mongo/wait-documents';
import type { Waiting } from '../../../runtime/core/model';
import { mayDecide, questionOf } from '../../../services/executor/approvals';
import { waitingRows } from '../../../services/executor/waiting-steps';

const nodeTypes: NodeTypes = new Map(
  ['approval', 'http_request'].map((type) => [type, { type, kind: 'work', inputSchema: { type: 'object' } }]),
);

/** A plan with a step, and one of the same kind in two loops. */
const planOf = (type: string, config: JsonObject = {}, items: Json = '{{ trigger.items }}') => {
  const step = (id: string) => ({ id, type, name: 'Step', config });
  const loop = { id: 'turns', type: 'while', config: { condition: true }, steps: [step('deep')] };
  const steps = [step('s'), { id: 'each', type: 'foreach', config: { items }, steps: [loop] }];
  const document = { id: 'flow', trigger: { type: 'manual' }, steps };
  return prepare(compile(document as unknown as WorkflowDocument, nodeTypes));
};
const question = (type: string, waiting: Waiting[], address = 's', config: JsonObject = {}) =>
  questionOf(planOf(type, config), { id: 'run', waiting }, address);
const codeOf = (act: () => unknown): unknown => {
  try {
    return act();
  } catch (fault) {
    return (fault as { type: string }).type;
  }
};

const ann = { kind: 'user', tenant_id: 't', user_id: 'u', email: 'Ann@Example.com', role: 'member', exp: 0 } as const;

const noForm = (): string => '';

const asked: Waiting = {
  step_id: 's',
  kind: 'approval',
  name: 'approve-s#1',
  since: 0,
  until: null,
  message: 'Run it again?',
  approvers: [],
  form: null,
};
const deep: Waiting = { ...asked, step_id: 'deep', name: 'approve-deep.17.0', message: 'This one?' };

test('a step of any kind that was interrupted, and asks, can be decided under the name of its question', () => {
  expect(question('http_request', [asked])).toEqual({
    address: 's',
    name: 'approve-s#1',
    approvers: [],
    message: 'Run it again?',
    form: null,
    asked: true,
  });
});

test('a step that asks nothing has nothing to decide, except for an approval, which will ask', () => {
  expect(codeOf(() => question('http_request', []))).toBe('conflict');
  expect(codeOf(() => question('http_request', [{ ...asked, kind: 'signal' }]))).toBe('conflict');
  expect(question('approval', [])).toEqual({
    address: 's',
    name: 'approve-s',
    approvers: [],
    message: 'Step',
    form: null,
    asked: false,
  });
});

test('a step in loops is named with the numbers of all of them', () => {
  const waiting = [{ ...deep, name: 'approve-deep.1.0', message: 'Another?' }, deep];
  expect(question('approval', waiting, 'deep.17.0')).toMatchObject({ name: 'approve-deep.17.0', message: 'This one?' });
  expect(question('approval', waiting, 'deep.2.5')).toMatchObject({ name: 'approve-deep.2.5', asked: false });
  for (const wrong of ['deep.17', 'deep.17.0.1', 'deep.17.x', 'deep.017.0', 's.1', 'none', '.1', ''])
    expect(codeOf(() => question('approval', waiting, wrong))).toBe('not_found');
});

test('the bare id of a step in loops stands for the only item that asks; else the choices are named', () => {
  const other: Waiting = { ...deep, name: 'approve-deep.1.0' };
  expect(question('approval', [deep], 'deep')).toMatchObject({ address: 'deep.17.0', name: 'approve-deep.17.0' });
  const faultOf = (waiting: Waiting[]) => {
    try {
      return question('approval', waiting, 'deep');
    } catch (fault) {
      return fault;
    }
  };
  expect(faultOf([deep, other])).toMatchObject({
    type: 'conflict',
    data: { body: { choices: ['deep.17.0', 'deep.1.0'] } },
  });
  expect(faultOf([])).toMatchObject({ type: 'conflict', data: { body: { choices: [] } } });
  expect(faultOf([{ ...deep, kind: 'signal' }])).toMatchObject({ type: 'conflict', data: { body: { choices: [] } } });
});

test('a form that expressions make is not known before the step asks', () => {
  const form = { type: 'object', required: ['{{ trigger.field }}'] };
  expect(question('approval', [], 's', { form })).toMatchObject({ form: undefined });
  expect(question('approval', [], 's', { form: { type: 'object' } })).toMatchObject({ form: { type: 'object' } });
  expect(question('approval', [{ ...asked, form: { type: 'string' } }], 's', { form })).toMatchObject({
    form: { type: 'string' },
  });
});

test('an item that no run can have is not there to be decided', () => {
  const at = (address: string, items?: Json) =>
    codeOf(() => questionOf(planOf('approval', {}, items), { id: 'run', waiting: [] }, address));
  expect(at('deep.99999.999')).toMatchObject({ asked: false });
  for (const [address, items] of [
    ['deep.100000.0'],
    ['deep.0.1000'],
    ['deep.2.0', ['a', 'b']],
    ['deep.0.0', []],
  ] as const)
    expect(at(address, items as Json | undefined)).toBe('not_found');
  expect(at('deep.1.0', ['a', '{{ trigger.b }}'])).toMatchObject({ asked: false });
});

test('links of a question say which item of a loop it is, however often it was asked', () => {
  const config = { baseUrl: 'https://here', port: 1 };
  const run = { _id: 'run', workflow_id: 'w', workflow_name: 'W' };
  const rows = waitingRows(
    config,
    [deep, asked].map((waiting) => ({ ...run, waiting: waitingToDocument(waiting) })),
    ann,
    noForm,
  );
  expect(rows).toMatchObject([
    {
      step_id: 'deep',
      address: 'deep.17.0',
      approve_url: 'https://here/api/v1/executions/run/approve/deep.17.0?decision=approve',
    },
    { step_id: 's', address: 's', reject_url: 'https://here/api/v1/executions/run/approve/s?decision=reject' },
  ]);
});

test('approvers count before the question is asked; an expression that has not been evaluated names no approver yet', () => {
  const may = (approvers: JsonObject[string]): boolean => mayDecide(question('approval', [], 's', { approvers }), ann);
  expect([may([]), may(['ann@example.com']), may(['u']), may(['member'])]).toEqual([true, true, true, true]);
  expect([may(['bob@example.com']), may('{{ trigger.approvers }}'), may(['{{ trigger.boss }}'])]).toEqual([
    false,
    false,
    false,
  ]);
});

test('named approvers are people: neither a service nor an anonymous caller is one', () => {
  const service = { kind: 'service', tenant_id: 't', user_id: null, email: null, role: 'service', exp: 0 } as const;
  const named = { approvers: ['service', 'ann@example.com'] };
  expect([mayDecide(named, service), mayDecide(named, null), mayDecide(named, ann)]).toEqual([false, false, true]);
  expect([mayDecide({ approvers: [] }, service), mayDecide({ approvers: [] }, null)]).toEqual([true, true]);
});

test('one answer holds only so much of messages and forms', () => {
  const form = { type: 'object', description: 'x'.repeat(200_000) };
  const run = { _id: 'run', workflow_id: 'w', workflow_name: 'W' };
  const steps = [0, 1, 2, 3].map((n) => ({
    ...run,
    waiting: waitingToDocument({ ...asked, name: `approve-s#${n}`, form }),
  }));
  const rows = waitingRows({ baseUrl: null, port: 1 }, steps, ann, noForm);
  expect(rows.map(({ truncated }) => truncated)).toEqual([false, false, true, true]);
  expect(rows.map((row) => row.form === null)).toEqual([false, false, true, true]);
});
