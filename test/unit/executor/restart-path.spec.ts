import { compile, type NodeTypes, prepare, type WorkflowDocument } from '../../../dsl';
import { restartPlace } from '../../../services/executor/restart-path';

const nodeTypes: NodeTypes = new Map([
  ['set', { type: 'set', kind: 'work', inputSchema: { type: 'object' } }],
] as const);
const set = (id: string) => ({ id, type: 'set' });
const document = {
  id: 'flow',
  trigger: { type: 'manual' },
  steps: [
    set('first'),
    {
      id: 'each',
      type: 'foreach',
      config: { items: [1] },
      steps: [set('charge'), { id: 'poll', type: 'while', config: { condition: true }, steps: [set('check')] }],
    },
  ],
};
const plan = prepare(compile(document as unknown as WorkflowDocument, nodeTypes));

it.each([
  ['first', 'first'],
  ['charge', 'charge'],
  ['each/steps[17]/charge', 'each/steps[17]/charge'],
  ['each[17]/charge', 'each/steps[17]/charge'],
  ['each[1]/poll[3]/check', 'each/steps[1]/poll/steps.3/check'],
  ['each/steps[1]/poll/steps.3/check', 'each/steps[1]/poll/steps.3/check'],
  ['nothing', null],
  ['each[17]', null],
  ['each[17]/nothing', null],
  ['first[1]/charge', null],
  ['each[99999999]/charge', null],
])('%j restarts at %j', (given, place) => {
  expect(restartPlace(plan, given)).toBe(place);
});
