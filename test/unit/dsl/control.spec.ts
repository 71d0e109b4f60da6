import type { Json, JsonObject } from '../../../lib/json';
import { document, step } from './support/documents';
import { check, errorOf, errorsOf, warningsOf } from './support/findings';

const inner = (id = 'x'): JsonObject[] => [step(id)];
const aCase = (more: JsonObject = {}): JsonObject => ({ when: true, steps: inner(), ...more });
const branches = (...ids: string[]): JsonObject[] => ids.map((id) => ({ id, steps: inner(`in_${id}`) }));
const errors = (type: string, more: JsonObject): string[] =>
  errorsOf(document([step('a', { type, ...more })])).map((text) => text.replace(/^steps\[0\]\.?/, ''));

test('a document with every kind of step and every key has neither errors nor warnings', () => {
  const full = document(
    [
      step('load', { needs: [], cache: { ttl: '10m', key: '{{ trigger.id }}' }, pin: { rows: [1] } }),
      step('big', {
        type: 'condition',
        name: 'Is it big?',
        config: {},
        cases: [{ when: '{{ steps.load.total > 5 }}', steps: inner('ask') }],
        else: [],
        timeout: '1h',
        on_error: [step('tell', { config: { text: '{{ error.message }}' } })],
        compensate: [step('undo', { config: { text: '{{ error.code ?? "cancelled" }} {{ steps.ask.v }}' } })],
      }),
      step('side', { type: 'parallel', branches: branches('l', 'r'), wait: 2, if: '{{ steps.load.ok }}' }),
      step('each', {
        type: 'foreach',
        needs: ['load'],
        config: { items: '{{ steps.load.rows }}', concurrency: 100 },
        steps: [step('one', { config: { v: '{{ loop.item }} {{ loop.index }} {{ steps.load.v }}' } })],
      }),
      step('poll', {
        type: 'while',
        needs: ['each', 'big'],
        config: { condition: '{{ steps.look.more ?? true }}', max_iterations: 100_000 },
        steps: [step('look', { config: { page: '{{ steps.look.page ?? 0 }}' } })],
      }),
      step('guard', { type: 'try', steps: inner('risk'), catch: [], finally: inner('clean') }),
    ],
    {
      trigger: { type: 'http' },
      on_error: [step('mail', { config: { text: '{{ error.step_id }} {{ steps.load.v }}' } })],
      inputs: { type: 'object', required: ['id'] },
      output: { all: '{{ steps.each.results }}' },
    },
  );
  expect(check(full)).toEqual({ errors: [], warnings: [] });
});

describe('a branch', () => {
  test.each<[JsonObject, string[]]>([
    [{}, ['cases: is missing [write [{"when": "{{ ... }}", "steps": [...]}]]']],
    [{ cases: {} }, ['cases: must be a list, not object [write [{"when": "{{ ... }}", "steps": [...]}]]']],
    [{ cases: [] }, ['cases: has 0; there are 1 to 50']],
    [{ cases: [1] }, ['cases[0]: must be an object, not number [write {"when": "{{ ... }}", "steps": [...]}]']],
    [{ cases: [aCase({ steps: [] })] }, ['cases[0].steps: needs at least one step']],
    [
      { cases: [aCase({ else: [] })] },
      ['cases[0].else: unknown key of a case [known are when, steps; keys of your own begin with x_]'],
    ],
    [
      { cases: [aCase()], else: {} },
      ['else: must be a list of steps, not object [write [{"id": "...", "type": "...", "config": {}}]]'],
    ],
    [{ cases: [aCase()], elze: [] }, ['elze: unknown key of a step of type branch [did you mean "else"?]']],
    [
      { cases: [aCase({ when: 'x > 1' })] },
      [
        'cases[0].when: must be one expression and nothing else [write one expression in braces: "{{ steps.fetch.status == 200 }}"]',
      ],
    ],
    [
      { cases: [aCase({ when: '{{ secret.A }}' })] },
      [
        'cases[0].when: a secret may not be used in a condition: conditions are recorded (character 2 of ` secret.A `) [use secrets in the config of steps that need them]',
      ],
    ],
    [
      { cases: [aCase()], config: { cases: [] } },
      ['config.cases: unknown key of the config of branch [it belongs to the step itself, beside config]'],
    ],
    [{ cases: [aCase()], config: 1 }, ['config: must be an object, not number']],
  ])('%j', (more, expected) => {
    expect(errors('branch', more)).toEqual(expected);
  });

  test('has at most 50 cases, each with its condition', () => {
    const many = Array.from({ length: 51 }, (_, index) => aCase({ steps: inner(`x${index}`) }));
    expect(errors('switch', { cases: many })).toEqual(['cases: has 51; there are 1 to 50']);
    expect(errors('branch', { cases: [{ steps: inner() }] })[0]).toMatch(/^cases\[0\]\.when: is missing/);
  });
});

describe('a parallel', () => {
  test.each<[JsonObject, string[]]>([
    [{}, ['branches: is missing [write [{"id": "...", "steps": [...]}]]']],
    [{ branches: branches('l') }, ['branches: has 1; there are 2 to 50']],
    [
      { branches: branches('l', 'r').map(({ steps }) => ({ steps: steps as Json })) },
      [
        'branches[0].id: is missing [a letter, then up to 63 letters, digits, _ or -]',
        'branches[1].id: is missing [a letter, then up to 63 letters, digits, _ or -]',
      ],
    ],
    [{ branches: [...branches('l'), { id: 'l', steps: inner() }] }, ['branches[1].id: another branch has the id "l"']],
    [{ branches: [...branches('l'), { id: 'r', steps: [] }] }, ['branches[1].steps: needs at least one step']],
    [
      { branches: branches('l', 'r'), wait: 'some' },
      ['wait: must be "all", "any" or how many of the branches: a whole number from 1 to 2'],
    ],
    [
      { branches: branches('l', 'r'), wait: 3 },
      ['wait: must be "all", "any" or how many of the branches: a whole number from 1 to 2'],
    ],
    [
      { branches: branches('l', 'r'), wait: 0 },
      ['wait: must be "all", "any" or how many of the branches: a whole number from 1 to 2'],
    ],
    [
      { branches: branches('l', 'r'), concurrency: 2 },
      [
        'concurrency: unknown key of a step of type parallel [known are id, type, name, config, needs, if, retry, timeout, on_error, compensate, cache, pin, branches, wait; keys of your own begin with x_]',
      ],
    ],
  ])('%j', (more, expected) => {
    expect(errors('parallel', more)).toEqual(expected);
  });
});

describe('a foreach', () => {
  test.each<[JsonObject, string]>([
    [{ steps: inner() }, 'config.items: is missing [write one expression in braces: "{{ steps.fetch.body.rows }}"]'],
    [{ steps: inner(), items: [1] }, 'items: unknown key of a step of type foreach [it belongs into config]'],
    [{ steps: inner(), config: { items: 'rows' } }, 'config.items: must be one expression and nothing else'],
    [{ steps: inner(), config: { items: 7 } }, 'config.items: must be an expression, a list or an object, not number'],
    [{ steps: inner(), config: { items: null } }, 'config.items: must be an expression, a list or an object, not null'],
    [
      { steps: inner(), config: { items: ['{{ secret.A }}'] } },
      'config.items[0]: a secret may not be used in the items of a loop: they are recorded',
    ],
    [
      { steps: inner(), config: { items: [], concurrency: 101 } },
      'config.concurrency: must be a whole number from 1 to 100',
    ],
    [
      { steps: inner(), config: { items: [], concurency: 2 } },
      'config.concurency: unknown key of the config of foreach [did you mean "concurrency"?]',
    ],
    [{ config: { items: [] } }, 'steps: is missing'],
    [{ steps: [], config: { items: [] } }, 'steps: needs at least one step'],
    [
      { steps: inner(), config: { items: [] }, retry: { max_attempts: 2 } },
      'retry: a step that holds others is not tried again as a whole [put retry on the steps inside]',
    ],
    [
      { steps: inner(), config: { items: [] }, cache: '1h' },
      'cache: the output of a step that holds others is not kept',
    ],
    [{ steps: inner(), config: { items: [] }, pin: {} }, 'pin: a step that holds others cannot be pinned'],
  ])('%j', (more, expected) => {
    expect(errors('foreach', more).join('\n')).toContain(expected);
  });

  test.each<[Json]>([['{{ steps }}'], [[1, '{{ trigger.x }}']], [{ a: 1 }], [[]]])('goes over %j', (items) => {
    expect(errors('foreach', { steps: inner(), config: { items } })).toEqual([]);
  });
});

describe('a while', () => {
  test.each<[JsonObject, string]>([
    [{ steps: inner() }, 'config.condition: is missing'],
    [{ steps: inner(), config: { condition: 'true' } }, 'config.condition: must be one expression and nothing else'],
    [{ steps: inner(), config: { condition: 1 } }, 'config.condition: must be an expression, not number'],
    [
      { steps: inner(), config: { condition: true, max_iterations: 0 } },
      'config.max_iterations: must be a whole number from 1 to 100000',
    ],
    [{ steps: inner(), condition: true }, 'condition: unknown key of a step of type while [it belongs into config]'],
    [
      { config: { condition: true, steps: [] }, steps: inner() },
      'config.steps: unknown key of the config of while [it belongs to the step itself, beside config]',
    ],
  ])('%j', (more, expected) => {
    expect(errors('while', more).join('\n')).toContain(expected);
  });
});

describe('a try', () => {
  test.each<[JsonObject, string[]]>([
    [{ steps: inner() }, [': a try needs catch or finally [write "catch": [] to go on after a failure]']],
    [{ catch: [] }, ['steps: is missing [write [{"id": "...", "type": "...", "config": {}}]]']],
    [
      { steps: inner(), catch: 1 },
      ['catch: must be a list of steps, not number [write [{"id": "...", "type": "...", "config": {}}]]'],
    ],
    [
      { steps: inner(), finaly: [] },
      [
        'finaly: unknown key of a step of type try [did you mean "finally"?]',
        ': a try needs catch or finally [write "catch": [] to go on after a failure]',
      ],
    ],
    [{ steps: inner(), catch: [], finally: [] }, []],
  ])('%j', (more, expected) => {
    expect(errors('try', more)).toEqual(expected);
  });
});

describe('needs', () => {
  const needing = (needs: Record<string, Json>): string[] =>
    errorsOf(document(Object.entries(needs).map(([id, value]) => step(id, value === null ? {} : { needs: value }))));

  test('name steps of the same list, each once, before or after in the text', () => {
    expect(needing({ a: ['c'], b: [], c: ['b'], d: ['a', 'c'] })).toEqual([]);
  });

  test.each<[Record<string, Json>, string[]]>([
    [{ a: ['a'] }, ['steps[0].needs[0]: a step cannot need itself']],
    [{ alpha: null, b: ['alpa'] }, ['steps[1].needs[0]: no step has the id "alpa" [did you mean "alpha"?]']],
    [{ a: null, b: ['a', 'a'] }, ['steps[1].needs[1]: "a" is named twice']],
    [{ a: [7] }, ['steps[0].needs[0]: must be the id of a step, not number']],
    [{ a: ['b'], b: ['a'] }, ['steps[0].needs: steps wait for each other: a -> b -> a']],
    [{ a: ['c'], b: ['a'], c: ['b'], d: [] }, ['steps[0].needs: steps wait for each other: a -> c -> b -> a']],
    [
      { a: ['b'], b: null },
      ['steps[0].needs: steps wait for each other: a -> b -> a [b has no needs, so it waits for the step before]'],
    ],
    [
      { a: ['b'], b: ['a'], c: ['d'], d: ['c'] },
      [
        'steps[0].needs: steps wait for each other: a -> b -> a',
        'steps[2].needs: steps wait for each other: c -> d -> c',
      ],
    ],
  ])('%j', (needs, expected) => {
    expect(needing(needs)).toEqual(expected);
  });

  test('cannot reach into another list', () => {
    const loop = step('l', { type: 'foreach', config: { items: [] }, steps: [step('x', { needs: ['a'] })] });
    expect(errorsOf(document([step('a'), loop]))).toEqual([
      'steps[1].steps[0].needs[0]: the step a is in another list [a step can need those beside it]',
    ]);
  });

  test('of 500 steps, each with all earlier ones as needs, are checked quickly', () => {
    const ids = Array.from({ length: 500 }, (_, index) => `s${index}`);
    const steps = ids.map((id, index) =>
      step(id, { needs: ids.slice(0, index), config: { v: `{{ steps.${ids[index - 1] ?? 'x'}.v }}` } }),
    );
    const began = performance.now();
    expect(errorsOf(document(steps))).toHaveLength(1);
    expect(performance.now() - began).toBeLessThan(5_000);
  });
});

describe('the compensation of a step', () => {
  const undo = { compensate: [step('undo')] };

  test('is refused where the run may already be ending', () => {
    const where = 'steps in compensate, finally and the on_error of the workflow cannot be undone';
    expect(errorsOf(document([step('a', { compensate: [step('b', undo)] })]))).toEqual([
      `steps[0].compensate[0].compensate: ${where}`,
    ]);
    expect(errors('try', { steps: inner(), finally: [step('b', undo)] })).toEqual([`finally[0].compensate: ${where}`]);
    expect(errorsOf(document([step('a')], { on_error: [step('b', undo)] }))).toEqual([
      `on_error[0].compensate: ${where}`,
    ]);
  });

  test('is allowed in every other step, also in error handlers of steps', () => {
    expect(errors('try', { steps: [step('b', undo)], catch: [step('c', { compensate: inner('d') })] })).toEqual([]);
    expect(errorsOf(document([step('a', { on_error: [step('b', undo)] })]))).toEqual([]);
  });

  test.each<[Json, string]>([
    [[], 'needs at least one step'],
    ['refund', 'must be a list of steps, not string'],
  ])('is a list with a step in it, not %j', (compensate, expected) => {
    expect(errorOf({ compensate })).toContain(expected);
  });
});

describe('cache and pin', () => {
  test.each<[JsonObject, string]>([
    [{ cache: 'soon' }, 'steps[0].cache: not a duration'],
    [{ cache: 0 }, 'steps[0].cache: a duration must be longer than 0'],
    [{ cache: true }, 'steps[0].cache: must be a duration or an object, not boolean'],
    [{ cache: {} }, 'steps[0].cache.ttl: is missing'],
    [{ cache: { ttl: '1h', kee: 'x' } }, 'steps[0].cache.kee: unknown key of cache [did you mean "key"?]'],
    [{ cache: { ttl: '1h', key: '' } }, 'steps[0].cache.key: is empty'],
    [{ cache: { ttl: '1h', key: 7 } }, 'steps[0].cache.key: must be text, not number'],
    [{ cache: { ttl: '1h', key: '{{ secret.A }}' } }, 'a secret may not be used in the key of a cache'],
    [{ cache: { ttl: '1h', key: '{{ steps.b.x }}' } }, 'no step has the id b'],
    [{ pin: [] }, 'steps[0].pin: must be an object, the output of the step, not array'],
    [{ pin: 'x' }, 'steps[0].pin: must be an object, the output of the step, not string'],
  ])('%j', (more, expected) => {
    expect(errorOf(more)).toContain(expected);
  });

  test('expressions in a pinned output cause a warning', () => {
    expect(warningsOf(document([step('a', { pin: { rows: [{ v: '{{ trigger.x }}' }] } })]))).toEqual([
      'steps[0].pin: expressions in a pinned output are not read',
    ]);
  });
});

describe('inputs', () => {
  test.each<[Json, RegExp]>([
    [[], /^inputs: must be a JSON Schema, an object, not array/],
    [{ type: 'nonsense' }, /^inputs\.type: /],
    [{ properties: { a: { type: 7 } } }, /^inputs\.properties\.a\.type: /],
  ])('%j is not a schema', (inputs, expected) => {
    expect(errorsOf(document([step('a')], { inputs }))[0]).toMatch(expected);
  });
});
