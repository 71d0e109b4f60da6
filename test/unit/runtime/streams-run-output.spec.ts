import { compile, prepare, type WorkflowDocument } from '../../../dsl';
import type { Json, JsonObject } from '../../../lib/json';
import { streamsRunOutput } from '../../../runtime/core/decide/streams-run-output';
import { builtIn } from '../../support/vocabulary';

const log = (id: string): JsonObject => ({ id, type: 'log', config: { message: 'x' } });

const speakers = (...steps: JsonObject[]): string[] => streamingSteps({ steps });

/** The paths of the steps of a document that stream the output of its runs. */
function streamingSteps(parts: { steps: JsonObject[]; output?: Json }): string[] {
  const document = { id: 'd', trigger: { type: 'manual' }, ...parts };
  const plan = prepare(compile(document as unknown as WorkflowDocument, builtIn));
  return [...plan.byPath.keys()].filter((path) => streamsRunOutput(plan, path));
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
])('of a workflow streams: %s', (_title, steps, expected) => {
  expect(speakers(...steps)).toEqual(expected);
});

describe('of a workflow with its own output', () => {
  const steps = [log('a'), log('b')];

  test.each<[string, Json]>([
    ['is the text', { reply: '{{ steps.b.text }}' }],
    ['is all that the step has put out', '{{ steps.b }}'],
    ['has the text among others', { parts: ['{{ steps.a.text }}', { it: "{{ steps['b']['text'] }}" }] }],
    ['has the text in a text', 'It says: {{ steps.b.text }}'],
    ['has something for when there is no text', '{{ steps.b.text ?? "Sorry" }}'],
  ])('the last step streams when the output %s', (_title, output) => {
    expect(streamingSteps({ steps, output })).toEqual(['b']);
  });

  test.each<[string, Json]>([
    ['has nothing of it', { reply: '{{ steps.a.text }}' }],
    ['is nothing', {}],
    ['has it changed', '{{ steps.b.text | replace("secret", "") }}'],
    ['has it only sometimes', '{{ steps.a.fine ? steps.b.text : "Not for you" }}'],
    ['has something else of it', { tokens: '{{ steps.b.output_tokens }}', part: '{{ steps.b.text.part }}' }],
    ['has it by a name that is made up at the end', '{{ steps[steps.a.which].text }}'],
  ])('no step streams when the output %s', (_title, output) => {
    expect(streamingSteps({ steps, output })).toEqual([]);
  });

  test('the last step of a branch streams by its own name, or that of the branch', () => {
    const way = { id: 'way', type: 'branch', cases: [{ when: true, steps: [log('x')] }] };
    for (const output of ['{{ steps.x.text }}', '{{ steps.way.text }}'])
      expect(streamingSteps({ steps: [way], output })).toContain('way/cases.0/x');
  });
});
