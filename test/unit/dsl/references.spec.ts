import type { Json, JsonObject } from '../../../lib/json';
import { document, step } from './support/documents';
import { errorsOf, warningsOf } from './support/findings';

/** A step that uses another's output. */
const use = (id: string, used: string, more: JsonObject = {}): JsonObject =>
  step(id, { config: { v: `{{ ${used.includes('.') ? used : `steps.${used}.v`} }}` }, ...more });
const branch = (id: string, cases: JsonObject[][], more: JsonObject = {}): JsonObject =>
  step(id, { type: 'branch', cases: cases.map((steps) => ({ when: true, steps })), ...more });
const parallel = (id: string, ...lists: JsonObject[][]): JsonObject =>
  step(id, { type: 'parallel', branches: lists.map((steps, index) => ({ id: `b${index}`, steps })) });
const foreach = (id: string, steps: JsonObject[], items: Json = [1]): JsonObject =>
  step(id, { type: 'foreach', config: { items }, steps });
const loop = (id: string, steps: JsonObject[], condition: Json = true): JsonObject =>
  step(id, { type: 'while', config: { condition }, steps });
const attempt = (id: string, steps: JsonObject[], more: JsonObject): JsonObject =>
  step(id, { type: 'try', steps, ...more });

/** The errors of references, without paths and characters. */
const referenceErrors = (steps: JsonObject[], more: JsonObject = {}): string[] =>
  errorsOf(document(steps, more)).map((text) => text.replace(/^.*?: /, '').replace(/ \(character.*?`\)/, ''));

const EARLIER = '[use steps that come before]';

describe('a step may use', () => {
  test.each<[string, JsonObject[]]>([
    ['what comes before it', [step('a'), use('b', 'a')]],
    ['what comes before the steps that hold it', [step('a'), branch('b', [[foreach('c', [use('d', 'a')])]])]],
    [
      'what a branch, a parallel, a while or a try has done',
      [
        branch('b', [[step('x')]]),
        parallel('p', [step('l')], [step('r')]),
        loop('w', [step('t')]),
        attempt('g', [step('s')], { catch: [step('c')] }),
        ...['x', 'l', 'r', 't', 's', 'c'].map((id) => use(`u_${id}`, id)),
      ],
    ],
    [
      'steps that it needs, and those that they need',
      [step('a'), use('b', 'a', { needs: ['a'] }), use('c', 'a', { needs: ['b'] })],
    ],
    [
      'in catch and finally what was tried',
      [attempt('t', [step('x')], { catch: [use('y', 'x')], finally: [use('z', 'y'), use('q', 'x')] })],
    ],
    [
      'in on_error what has failed, and what is in it',
      [branch('b', [[step('x')]], { on_error: [use('y', 'x'), use('z', 'steps.b.error')] })],
    ],
    [
      'in compensate whatever the run has done',
      [step('pay', { compensate: [use('u', 'pay'), use('v', 'late'), use('w', 'u')] }), step('late')],
    ],
    ['in the on_error of a step before it what that has done', [step('a', { on_error: [step('x')] }), use('b', 'x')]],
    [
      'in a while the turn before: itself, steps after it, and those around it',
      [loop('w', [use('a', 'a'), use('b', 'c'), step('c'), branch('d', [[use('e', 'd')], [use('f', 'e')]])])],
    ],
    [
      'in the condition of a while what its turns have done',
      [loop('w', [step('a'), branch('b', [[step('c')]])], '{{ steps.a.more && steps.c.more }}')],
    ],
    [
      'inside an item what the item has done',
      [foreach('f', [step('a'), branch('b', [[use('c', 'a')]]), use('d', 'c')])],
    ],
    ['after a loop its results', [foreach('f', [step('a')]), use('b', 'steps.f.results')]],
  ])('%s', (_what, steps) => {
    expect(referenceErrors(steps)).toEqual([]);
  });
});

describe('a step may not use', () => {
  test.each<[string, JsonObject[], string]>([
    ['itself', [use('a', 'a')], `the step a is this step itself ${EARLIER}`],
    ['what comes after it', [use('a', 'b'), step('b')], `the step b runs after this step ${EARLIER}`],
    ['what holds it', [branch('b', [[use('y', 'b')]])], `the step b holds this step, and ends after it ${EARLIER}`],
    [
      'what it holds',
      [branch('b', [[step('x')]], { if: '{{ steps.x.v }}' })],
      `the step x is inside this step, and runs after it ${EARLIER}`,
    ],
    ['another case', [branch('b', [[step('x')], [use('y', 'x')]])], `the step x is in another branch ${EARLIER}`],
    [
      'a case in else',
      [branch('b', [[step('x')]], { else: [use('y', 'x')] })],
      `the step x is in another branch ${EARLIER}`,
    ],
    ['another branch', [parallel('p', [step('x')], [use('y', 'x')])], `the step x is in another branch ${EARLIER}`],
    [
      'catch in what is tried',
      [attempt('t', [use('x', 'y')], { catch: [step('y')] })],
      `the step y runs after this step ${EARLIER}`,
    ],
    [
      'finally in catch',
      [attempt('t', [step('x')], { catch: [use('y', 'z')], finally: [step('z')] })],
      `the step z runs after this step ${EARLIER}`,
    ],
    [
      'its own on_error',
      [use('a', 'x', { on_error: [step('x')] })],
      `the step x is inside this step, and runs after it ${EARLIER}`,
    ],
    [
      'a sibling that it does not need',
      [step('a', { needs: [] }), use('b', 'a', { needs: [] })],
      'the step a may not have run when this step begins [let the step b need a]',
    ],
    [
      'inside it, a sibling that its holder does not need',
      [step('a', { needs: [] }), branch('b', [[use('x', 'a')]], { needs: [] })],
      'the step a may not have run when this step begins [let the step b need a]',
    ],
    [
      'what needs it',
      [use('a', 'b', { needs: [] }), step('b', { needs: ['a'] })],
      `the step b runs after this step ${EARLIER}`,
    ],
    [
      'an item from outside of the loop',
      [foreach('f', [step('x')]), use('a', 'x')],
      'the step x is inside the loop f [after the loop there is steps.f.results]',
    ],
    [
      'an item deep inside',
      [foreach('f', [branch('b', [[step('x')]])]), use('a', 'x')],
      'the step x is inside the loop f [after the loop there is steps.f.results]',
    ],
    [
      'an item of an inner loop',
      [foreach('f', [foreach('g', [step('x')]), use('a', 'x')])],
      'the step x is inside the loop g [after the loop there is steps.g.results]',
    ],
    [
      'items of a loop in its list of items',
      [foreach('f', [step('x')], '{{ steps.x.v }}')],
      `the step x is inside this step, and runs after it ${EARLIER}`,
    ],
    [
      'an item before, in a later one',
      [foreach('f', [use('a', 'b'), step('b')])],
      `the step b runs after this step ${EARLIER}`,
    ],
    [
      'an item of an earlier turn',
      [loop('w', [foreach('f', [use('a', 'b'), step('b')])])],
      `the step b runs after this step ${EARLIER}`,
    ],
    [
      'items in the condition of a while',
      [loop('w', [foreach('f', [step('x')])], '{{ steps.x.v }}')],
      'the step x is inside the loop f [after the loop there is steps.f.results]',
    ],
    [
      'another branch of the same turn',
      [loop('w', [parallel('p', [step('x')], [use('y', 'x')])])],
      `the step x is in another branch ${EARLIER}`,
    ],
    [
      'a sibling of the same turn that it does not need',
      [loop('w', [step('a', { needs: [] }), use('b', 'a', { needs: [] })])],
      'the step a may not have run when this step begins [let the step b need a]',
    ],
    [
      'what undoes another',
      [step('a', { compensate: [step('x')] }), use('b', 'x')],
      `the step x runs only when the run is undone ${EARLIER}`,
    ],
    [
      'turns in the condition that it is run by',
      [loop('w', [step('a')]), step('b')].map((each, index) =>
        index === 0 ? { ...each, if: '{{ steps.a.v }}' } : each,
      ),
      `the step a is inside this step, and runs after it ${EARLIER}`,
    ],
  ])('%s', (_what, steps, expected) => {
    expect(referenceErrors(steps)).toEqual([expected]);
  });
});

describe('the on_error of the workflow', () => {
  const onError = (...steps: JsonObject[]): JsonObject => ({ on_error: steps });

  test('may use steps and compensations of the run, but not those of single items', () => {
    const steps = [
      step('a', { compensate: [step('u')] }),
      parallel('p', [step('l')], [step('r')]),
      foreach('f', [step('x')]),
    ];
    expect(referenceErrors(steps, onError(use('m', 'a'), use('n', 'u'), use('o', 'l'), use('q', 'm')))).toEqual([]);
    expect(referenceErrors(steps, onError(use('m', 'x')))).toEqual([
      'the step x is inside the loop f [after the loop there is steps.f.results]',
    ]);
  });

  test('may not be used by the workflow, nor by its output', () => {
    expect(referenceErrors([use('a', 'm')], onError(step('m')))).toEqual([
      `the step m runs only when the run fails ${EARLIER}`,
    ]);
    expect(referenceErrors([step('a')], { ...onError(step('m')), output: '{{ steps.m }}' })).toEqual([
      `the step m runs only when the run fails ${EARLIER}`,
    ]);
  });
});

test('the output of the run may use every step except those of items and compensations', () => {
  const steps = [branch('b', [[step('x', { compensate: [step('u')] })]]), foreach('f', [step('y')])];
  expect(referenceErrors(steps, { output: '{{ steps.x.v }} {{ steps.f.results }}' })).toEqual([]);
  expect(referenceErrors(steps, { output: ['{{ steps.y.v }}', '{{ steps.u.v }}'] })).toEqual([
    'the step y is inside the loop f [after the loop there is steps.f.results]',
    `the step u runs only when the run is undone ${EARLIER}`,
  ]);
});

describe('loop', () => {
  test.each<[string, JsonObject[], string[]]>([
    ['outside', [use('a', 'loop.item')], ['loop is there only inside foreach and while']],
    ['in a foreach', [foreach('f', [use('a', 'loop.item'), use('b', 'loop.index')])], []],
    ['in a while', [loop('w', [use('a', 'loop.index')])], []],
    ['in the condition of a while', [loop('w', [step('a')], '{{ loop.index < 5 }}')], []],
    [
      'in the items of a foreach',
      [foreach('f', [step('a')], '{{ loop.index }}')],
      ['loop is there only inside foreach and while'],
    ],
    ['the item of a while', [loop('w', [use('a', 'loop.item')])], ['a while has no items [its turns have loop.index]']],
    ['deep in a loop', [foreach('f', [branch('b', [[use('a', 'loop.item')]])])], []],
    ['in what undoes a step of a loop', [foreach('f', [step('a', { compensate: [use('u', 'loop.item')] })])], []],
    [
      'in what follows a loop that failed',
      [{ ...foreach('f', [step('a')]), on_error: [use('b', 'loop.item')] }],
      ['loop is there only inside foreach and while'],
    ],
    [
      'the parent of one loop',
      [foreach('f', [use('a', 'loop.parent.item')])],
      ['loop.parent is there only in a loop inside a loop [loops around this step: 1]'],
    ],
    ['the parent of two', [foreach('f', [loop('w', [use('a', 'loop.parent.item'), use('b', 'loop.index')])])], []],
    [
      'the parent that is a while',
      [loop('w', [foreach('f', [use('a', 'loop.parent.item')])])],
      ['a while has no items [its turns have loop.index]'],
    ],
    ['the parent of three', [foreach('f', [foreach('g', [foreach('h', [use('a', 'loop.parent.parent.item')])])])], []],
    [
      'in brackets',
      [foreach('f', [use('a', 'loop["parent"].x')])],
      ['loop.parent is there only in a loop inside a loop [loops around this step: 1]'],
    ],
  ])('%s', (_what, steps, expected) => {
    expect(referenceErrors(steps)).toEqual(expected);
  });

  test('has few members', () => {
    expect(warningsOf(document([foreach('f', [use('a', 'loop.itm.x')])]))[0]).toContain(
      'loop has no itm (character 2 of ` loop.itm.x `) [did you mean "item"?]',
    );
  });
});

describe('error', () => {
  const tells = (id: string): JsonObject => use(id, 'error.message');

  test('is available in error handlers, at any depth', () => {
    const steps = [
      step('a', { on_error: [tells('b')], compensate: [tells('c')] }),
      attempt('t', [step('x')], { catch: [branch('d', [[tells('e')]])], finally: [foreach('f', [tells('g')])] }),
    ];
    expect(referenceErrors(steps, { on_error: [tells('h')] })).toEqual([]);
  });

  test('is not available elsewhere', () => {
    const none = 'error is there only in steps that handle an error [it is in catch, finally, on_error and compensate]';
    expect(referenceErrors([attempt('t', [tells('x')], { catch: [] }), tells('y')])).toEqual([none, none]);
    expect(referenceErrors([step('a')], { output: '{{ error.message }}' })).toEqual([none]);
  });

  test('has four members', () => {
    const text = '{{ error.step_id }} {{ error.type }} {{ error.code }} {{ error.message }} {{ error.msg }}';
    const found = warningsOf(document([step('a', { on_error: [step('b', { config: { text } })] })]));
    expect(found).toEqual([expect.stringContaining('error has no msg')]);
  });
});

describe('the link of an approval', () => {
  const ask = step('ask', { type: 'approval' });
  const link = (id: string): JsonObject => step(id, { config: { v: '{{ approval_link("ask", "approve") }}' } });

  test('is available before the step, and in steps of the same loop', () => {
    expect(referenceErrors([link('a'), ask])).toEqual([]);
    expect(referenceErrors([foreach('f', [link('a'), foreach('g', [link('b')]), ask])])).toEqual([]);
    expect(referenceErrors([loop('w', [ask], '{{ approval_link("ask", "approve") != "" }}')])).toEqual([]);
  });

  test('of a step in a loop is not available outside of it', () => {
    const outside = 'the step ask is inside the loop f, where each turn has its own link';
    expect(referenceErrors([link('a'), foreach('f', [ask])])).toEqual([outside]);
    expect(referenceErrors([foreach('g', [link('a')]), foreach('f', [ask])])).toEqual([outside]);
  });

  test('of a step without an approval is a warning', () => {
    expect(warningsOf(document([step('ask'), link('a')]))[0]).toContain('the step ask is no approval');
  });
});

describe('nested steps', () => {
  test('have paths through their blocks, and unique ids', () => {
    expect(
      errorsOf(document([branch('b', [[step('x')], [step('y', { type: 'nope' })]], { else: [step('x')] })])),
    ).toEqual([
      'steps[0].else[0].id: the id "x" is taken by steps[0].cases[0].steps[0] [give each step its own id]',
      'steps[0].cases[1].steps[0].type: unknown step type "nope"',
    ]);
    expect(errorsOf(document([step('a')], { on_error: [step('a')] }))).toEqual([
      'on_error[0].id: the id "a" is taken by steps[0] [give each step its own id]',
    ]);
  });

  test('count towards the limit of steps', () => {
    const many = (count: number, prefix: string) => Array.from({ length: count }, (_, n) => step(`${prefix}${n}`));
    expect(errorsOf(document(many(500, 's')))).toEqual([]);
    const all = [branch('b', [many(250, 'x'), many(249, 'y')])];
    expect(errorsOf(document(all))).toEqual([]);
    expect(errorsOf(document(all, { on_error: [step('z')] }))).toEqual([
      'steps: more than 500 steps, nested ones counted [split the workflow]',
    ]);
  });

  test('nest to the limit and no further', () => {
    const nest = (depth: number): JsonObject => (depth === 1 ? step('leaf') : foreach(`n${depth}`, [nest(depth - 1)]));
    expect(errorsOf(document([nest(10)]))).toEqual([]);
    expect(errorsOf(document([nest(12)]))).toEqual([expect.stringContaining('steps are nested deeper than 10')]);
  });
});
