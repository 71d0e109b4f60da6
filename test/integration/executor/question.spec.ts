import type { PlanStep } from '../../../dsl';
import type { Waiting } from '../../../runtime/store/port';
import { mayDecide, questionOf } from '../../../services/executor/approvals';

const step = (type: string, config: PlanStep['config'] = {}) => ({ id: 's', type, name: 'Step', config }) as PlanStep;
const asked: Waiting = {
  step_id: 's',
  kind: 'approval',
  name: 'approve-s#1',
  since: 0,
  until: null,
  message: 'Run it again?',
  approvers: [],
};

test('a step of any kind that was interrupted, and asks, can be decided under the name of its question', () => {
  expect(questionOf(step('http_request'), [asked])).toEqual({
    name: 'approve-s#1',
    approvers: [],
    message: 'Run it again?',
  });
});

test('a step that asks nothing has nothing to decide, except for an approval, which will ask', () => {
  expect(questionOf(step('http_request'), [])).toBeNull();
  expect(questionOf(step('http_request'), [{ ...asked, kind: 'signal' }])).toBeNull();
  expect(questionOf(step('approval'), [])).toEqual({ name: 'approve-s', approvers: [], message: 'Step' });
});

test('approvers count before the question is asked; what an expression will give is nobody yet', () => {
  const ann = { kind: 'user', tenant_id: 't', user_id: 'u', email: 'Ann@Example.com', role: 'member', exp: 0 } as const;
  const early = (approvers: PlanStep['config'][string]) => questionOf(step('approval', { approvers }), []);
  const may = (approvers: PlanStep['config'][string]): boolean => {
    const question = early(approvers);
    if (question === null) throw new Error('an approval asks');
    return mayDecide(question, ann);
  };
  expect([may([]), may(['ann@example.com']), may(['u']), may(['member'])]).toEqual([true, true, true, true]);
  expect([may(['bob@example.com']), may('{{ trigger.approvers }}'), may(['{{ trigger.boss }}'])]).toEqual([
    false,
    false,
    false,
  ]);
});
