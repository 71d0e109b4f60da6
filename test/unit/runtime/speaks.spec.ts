import { compile, prepare, type WorkflowDocument } from '../../../dsl';
import type { JsonObject } from '../../../lib/json';
import { speaks } from '../../../runtime/rules/speaks';
import { builtIn } from '../../support/vocabulary';

const log = (id: string): JsonObject => ({ id, type: 'log', config: { message: 'x' } });

/** The paths of the steps of a document that speak for its runs. */
function speakers(...steps: JsonObject[]): string[] {
  const document = { id: 'd', trigger: { type: 'manual' }, steps };
  const plan = prepare(compile(document as unknown as WorkflowDocument, builtIn));
  return [...plan.byPath.keys()].filter((path) => speaks(plan, path));
}

test.each<[string, JsonObject[], string[]]>([
  ['the last of several', [log('a'), log('b')], ['b']],
  [
    'the last of each way of a branch that is the last',
    [log('a'), { id: 'way', type: 'branch', cases: [{ when: true, steps: [log('b'), log('c')] }], else: [log('d')] }],
    ['way', 'way/cases.0/c', 'way/else/d'],
  ],
  [
    'none in a branch that others follow',
    [{ id: 'way', type: 'branch', cases: [{ when: true, steps: [log('b')] }] }, log('z')],
    ['z'],
  ],
  [
    'the last of a try, and not of what cleans up after it',
    [{ id: 't', type: 'try', steps: [log('a'), log('b')], catch: [log('c')], finally: [log('d')] }],
    ['t', 't/steps/b'],
  ],
  [
    'none in loops and side by side, where several would speak at once',
    [{ id: 'each', type: 'foreach', config: { items: [1] }, steps: [log('a')] }],
    ['each'],
  ],
  [
    'the last inside of the last inside of the last',
    [
      {
        id: 'x',
        type: 'branch',
        cases: [{ when: true, steps: [{ id: 'y', type: 'try', steps: [log('a')], catch: [log('b')] }] }],
      },
    ],
    ['x', 'x/cases.0/y', 'x/cases.0/y/steps/a'],
  ],
  ['none that undoes', [{ ...log('a'), compensate: [log('b')] }], ['a']],
])('of a workflow speaks: %s', (_title, steps, expected) => {
  expect(speakers(...steps)).toEqual(expected);
});
