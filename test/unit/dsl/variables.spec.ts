import { compile, prepare, validateDocument, type WorkflowDocument } from '../../../dsl';
import type { JsonObject } from '../../../lib/json';
import { document, nodeTypes, step } from './support/documents';

const USE = '{{ vars.region }}';
const known = new Set(['region', 'retry_limit']);

const warningsOf = (expression: string, variableNames?: ReadonlySet<string>) =>
  validateDocument(document([step('a', { config: { v: `{{ ${expression} }}` } })]), { nodeTypes, variableNames })
    .warnings;

const usesVars = (steps: JsonObject[], rest: JsonObject = {}): boolean =>
  prepare(compile(document(steps, rest) as unknown as WorkflowDocument, nodeTypes)).usesVars;

describe('a variable that is not there', () => {
  test('is a warning that names it, and what may have been meant', () => {
    expect(warningsOf('vars.regoin', known)).toEqual([
      {
        path: 'steps[0].config.v',
        message: 'there is no variable regoin yet (character 2 of ` vars.regoin `)',
        hint: 'did you mean "region"?',
      },
    ]);
    expect(warningsOf('vars["zone"]', known)).toMatchObject([{ hint: 'add it before running' }]);
  });

  test.each(['vars.region', 'vars["retry_limit"]', 'vars', 'vars[trigger.name]'])('is none of %s', (expression) => {
    expect(warningsOf(expression, known)).toEqual([]);
  });

  test.each(['constructor', '__proto__'])('is %s as well, unless the tenant has one', (name) => {
    expect(warningsOf(`vars.${name}`, known)).toHaveLength(1);
    expect(warningsOf(`vars.${name}`, new Set([name]))).toEqual([]);
  });

  test('is no warning where the names are unknown', () => {
    expect(warningsOf('vars.zone')).toEqual([]);
  });

  test('is found in conditions, lists of loops, outputs and concurrency keys', () => {
    const use = '{{ vars.zone }}';
    const steps = [
      step('a', { if: use }),
      { id: 'each', type: 'foreach', config: { items: use }, steps: [step('b', { config: { v: use } })] },
    ];
    const { errors, warnings } = validateDocument(document(steps, { output: use, concurrency: { key: use } }), {
      nodeTypes,
      variableNames: known,
    });
    expect(errors).toEqual([]);
    expect(warnings.map(({ path }) => path)).toEqual([
      'steps[0].if',
      'steps[1].config.items',
      'steps[1].steps[0].config.v',
      'concurrency.key',
      'output',
    ]);
  });
});

describe('a prepared plan says that it uses variables', () => {
  test.each<{ place: string; steps: JsonObject[]; rest?: JsonObject }>([
    { place: 'a configuration', steps: [step('a', { config: { deep: [{ v: `at ${USE}` }] } })] },
    { place: 'a name that is computed', steps: [step('a', { config: { v: '{{ vars[trigger.name] }}' } })] },
    { place: 'all of them', steps: [step('a', { config: { v: '{{ keys(vars) }}' } })] },
    { place: 'a condition', steps: [step('a', { if: USE })] },
    { place: 'a cache key', steps: [step('a', { cache: { ttl: '1m', key: USE } })] },
    {
      place: 'the items of a loop',
      steps: [{ id: 'each', type: 'foreach', config: { items: USE }, steps: [step('b')] }],
    },
    {
      place: 'the condition of a loop',
      steps: [{ id: 'w', type: 'while', config: { condition: USE }, steps: [step('b')] }],
    },
    { place: 'the case of a branch', steps: [{ id: 'b', type: 'branch', cases: [{ when: USE, steps: [step('c')] }] }] },
    {
      place: 'a step inside of another',
      steps: [{ id: 't', type: 'try', steps: [step('b', { config: { v: USE } })], finally: [] }],
    },
    { place: 'a step for failures', steps: [step('a')], rest: { on_error: [step('b', { config: { v: USE } })] } },
    { place: 'the output', steps: [step('a')], rest: { output: { v: USE } } },
    { place: 'the concurrency key', steps: [step('a')], rest: { concurrency: { key: USE } } },
  ])('in $place', ({ steps, rest }) => {
    expect(usesVars(steps, rest)).toBe(true);
  });

  test('and else not, whatever texts and members are called', () => {
    const steps = [
      step('a', { config: { vars: 'vars.x', b: '{{ trigger.vars }}', c: '{{ "vars" }}' }, if: '{{ env }}' }),
    ];
    expect(usesVars(steps, { output: '{{ steps.a.vars }}' })).toBe(false);
  });
});
