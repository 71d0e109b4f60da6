import { compile, type NodeTypes, prepare, type WorkflowDocument } from '../../../dsl';
import type { Json, JsonObject } from '../../../lib/json';
import type { Waiting } from '../../../runtime/store/port';
import { approvalRows, mayDecide, questionOf } from '../../../services/executor/approvals';

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

const asked: Waiting = {
  step_id: 's',
  kind: 'approval',
  name: 'approve-s#1',
  since: 0,
  until: null,
  message: 'Run it again?',
  approvers: [],
};
const deep: Waiting = { ...asked, step_id: 'deep', name: 'approve-deep.17.0', message: 'This one?' };

test('a step of any kind that was interrupted, and asks, can be decided under the name of its question', () => {
  expect(question('http_request', [asked])).toEqual({
    name: 'approve-s#1',
    approvers: [],
    message: 'Run it again?',
    asked: true,
  });
});

test('a step that asks nothing has nothing to decide, except for an approval, which will ask', () => {
  expect(codeOf(() => question('http_request', []))).toBe('conflict');
  expect(codeOf(() => question('http_request', [{ ...asked, kind: 'signal' }]))).toBe('conflict');
  expect(question('approval', [])).toEqual({ name: 'approve-s', approvers: [], message: 'Step', asked: false });
});

test('a step in loops is named with the numbers of all of them', () => {
  const waiting = [{ ...deep, name: 'approve-deep.1.0', message: 'Another?' }, deep];
  expect(question('approval', waiting, 'deep.17.0')).toMatchObject({ name: 'approve-deep.17.0', message: 'This one?' });
  expect(question('approval', waiting, 'deep.2.5')).toMatchObject({ name: 'approve-deep.2.5', asked: false });
  for (const wrong of ['deep', 'deep.17', 'deep.17.0.1', 'deep.17.x', 'deep.017.0', 's.1', 'nobody', '.1', ''])
    expect(codeOf(() => question('approval', waiting, wrong))).toBe('not_found');
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
  const execution = { id: 'run', workflowId: 'w', workflowName: 'W', waiting: [deep, asked] };
  const rows = approvalRows(config, execution);
  expect(rows).toMatchObject([
    {
      step_id: 'deep',
      address: 'deep.17.0',
      approve_url: 'https://here/api/v1/executions/run/approve/deep.17.0?decision=approve',
    },
    { step_id: 's', address: 's', reject_url: 'https://here/api/v1/executions/run/approve/s?decision=reject' },
  ]);
});

test('approvers count before the question is asked; what an expression will give is nobody yet', () => {
  const ann = { kind: 'user', tenant_id: 't', user_id: 'u', email: 'Ann@Example.com', role: 'member', exp: 0 } as const;
  const may = (approvers: JsonObject[string]): boolean => mayDecide(question('approval', [], 's', { approvers }), ann);
  expect([may([]), may(['ann@example.com']), may(['u']), may(['member'])]).toEqual([true, true, true, true]);
  expect([may(['bob@example.com']), may('{{ trigger.approvers }}'), may(['{{ trigger.boss }}'])]).toEqual([
    false,
    false,
    false,
  ]);
});
