import type { Json, JsonObject } from '../../../../lib/json';
import type { Wait } from '../../../../runtime/core/entries/entry';
import type { AttemptResult } from '../../../../runtime/core/decide/event';
import { waitingOf } from '../../../../runtime/core/decide/waiting';
import {
  type Bench,
  bench,
  done,
  failed,
  kinds,
  mail,
  outputsOf,
  set,
  step,
  T0,
  kindsAndPaths,
} from '../../../support/runtime/bench';

const foreach = (items: Json, steps: Json[], more: JsonObject = {}): Json => ({
  id: 'each',
  type: 'foreach',
  config: { items, ...more },
  steps,
});
const loop = (condition: Json, steps: Json[], more: JsonObject = {}): Json => ({
  id: 'poll',
  type: 'while',
  config: { condition, ...more },
  steps,
});
const launched = (run: Bench): string[] => [...run.flights.keys()];
const begun = (steps: Json[], rest: JsonObject = {}): Bench => {
  const run = bench(steps, rest);
  run.tell({ kind: 'resume' });
  return run;
};
const approval: Extract<AttemptResult, { kind: 'wait' }> = {
  kind: 'wait',
  wait: {
    kind: 'approval',
    message: '?',
    approvers: [],
    form: null,
    until: null,
    onTimeout: { kind: 'complete', output: {} },
  },
};

describe('a foreach', () => {
  it('processes one item after the other, in the order of the list', () => {
    const run = begun([foreach([7, 8], [set('a', { v: '{{ loop.item }}', n: '{{ loop.index }}' }), step('b')])]);
    expect(launched(run)).toEqual(['each/steps[0]/a']);
    expect(kindsAndPaths(run.drive().entries)).toEqual([
      'opened each',
      'completed each/steps[0]/a',
      'completed each/steps[0]/b',
      'item each',
      'completed each/steps[1]/a',
      'completed each/steps[1]/b',
      'item each',
      'completed each',
      'ended',
    ]);
    expect(outputsOf(run)['each/steps[1]/a']).toEqual({ v: 8, n: 1 });
    expect(run.output).toEqual({ results: [{ at: 'each/steps[0]/b' }, { at: 'each/steps[1]/b' }], count: 2 });
  });

  it('processes items up to its concurrency, and starts the next when one is done', () => {
    const run = begun([foreach([1, 2, 3, 4], [step('a')], { concurrency: 2 })]);
    expect(launched(run)).toEqual(['each/steps[0]/a', 'each/steps[1]/a']);
    run.settle('each/steps[1]/a', done({ v: 1 }));
    expect(launched(run)).toEqual(['each/steps[0]/a', 'each/steps[2]/a']);
    run.settle('each/steps[2]/a', done({ v: 2 }));
    run.settle('each/steps[3]/a', done({ v: 3 }));
    expect(launched(run)).toEqual(['each/steps[0]/a']);
    run.settle('each/steps[0]/a', done({ v: 0 }));
    expect(run.output).toEqual({ results: [{ v: 0 }, { v: 1 }, { v: 2 }, { v: 3 }], count: 4 });
  });

  it('recovers completed items after a crash, and starts none twice', () => {
    const run = begun([foreach([1, 2, 3, 4], [step('a')], { concurrency: 2 })]);
    run.settle('each/steps[1]/a', done());
    run.start('each/steps[2]/a');
    run.tell({ kind: 'due' });
    const next = (run.constructor as typeof Bench).after(run, run.decisions.length);
    next.tell({ kind: 'resume' });
    expect(next.launched).toEqual([
      { kind: 'run', path: 'each/steps[2]/a', attempt: 2 },
      { kind: 'run', path: 'each/steps[0]/a', attempt: 1 },
    ]);
    expect(next.play().output).toMatchObject({ count: 4 });
    expect(next.entries.filter((entry) => entry.kind === 'loop.item')).toHaveLength(4);
  });

  it.each([
    ['a list from an expression', '{{ trigger.list }}', [1, 2]],
    [
      'an object, as keys with values',
      { x: 1, y: 2 },
      [
        { key: 'x', value: 1 },
        { key: 'y', value: 2 },
      ],
    ],
  ] as [string, Json, Json[]][])('goes over %s', (_title, items, wanted) => {
    const run = bench([foreach(items, [set('a', { v: '{{ loop.item }}' })])], {}, { trigger: { list: [1, 2] } }).play();
    expect(run.output).toEqual({ results: wanted.map((v) => ({ v })), count: wanted.length });
  });

  it('over an empty list completes at once', () => {
    expect(begun([foreach([], [step('a')])]).output).toEqual({ results: [], count: 0 });
  });

  it.each(['text', null, 5, true])('over %j fails, and says what a list is', (items) => {
    const run = begun([foreach(items, [step('a')])]);
    expect(run.state.ended?.error).toMatchObject({ code: 'invalid_items', step_id: 'each' });
  });

  it('over too many items fails', () => {
    const run = bench([foreach('{{ trigger.list }}', [step('a')])], {}, { trigger: { list: Array(100_001).fill(0) } });
    expect(run.play().state.ended?.error).toMatchObject({ code: 'invalid_items' });
  });

  it('whose list cannot be evaluated fails', () => {
    const run = begun([foreach('{{ trigger.list.of.what }}', [step('a')])]);
    expect(run.state.ended?.error).toMatchObject({ code: 'expression', step_id: 'each' });
  });

  it('fails when an item fails; others in progress are cancelled', () => {
    const run = begun([foreach([1, 2, 3], [step('a')], { concurrency: 2 })]);
    expect(kindsAndPaths(run.settle('each/steps[1]/a', failed()))).toEqual([
      'failed each/steps[1]/a',
      'cancelled each/steps[0]/a',
      'failed each',
      'ended',
    ]);
    expect(run.state.ended?.error).toMatchObject({ code: 'c', step_id: 'a' });
  });

  it('continues when items handle their failures', () => {
    const run = begun([foreach([1, 2], [step('a', { on_error: 'continue' }), set('b', { v: '{{ steps.a }}' })])]);
    run.drive({ answers: { 'each/steps[0]/a': failed() } });
    expect(run.output).toMatchObject({
      results: [{ v: { error: { code: 'c', message: 'm' } } }, { v: { at: 'each/steps[1]/a' } }],
    });
  });

  it('has null as the result of an item in which nothing completed', () => {
    expect(begun([foreach([1, 2], [step('a', { if: '{{ loop.item == 2 }}' })])]).drive().output).toEqual({
      results: [null, { at: 'each/steps[1]/a' }],
      count: 2,
    });
  });

  it('lets items wait and retry independently', () => {
    const run = begun([
      foreach([1, 2, 3], [step('a', { retry: { max_attempts: 2, initial_interval: '10s', jitter: 0 } })], {
        concurrency: 3,
      }),
    ]);
    run.settle('each/steps[0]/a', failed({ retryable: true }));
    run.now += 2_000;
    run.settle('each/steps[1]/a', failed({ retryable: true }));
    run.settle('each/steps[2]/a', { kind: 'wait', wait: { kind: 'timer', until: T0 + 11_000, output: { v: 3 } } });
    expect(run.pass()).toEqual([]);
    expect(launched(run)).toEqual(['each/steps[0]/a']);
    expect(kindsAndPaths(run.pass())).toEqual(['completed each/steps[2]/a', 'item each']);
    run.pass();
    expect([...run.flights]).toEqual([
      ['each/steps[0]/a', 2],
      ['each/steps[1]/a', 2],
    ]);
    run.settle('each/steps[1]/a', done({ v: 2 }));
    run.settle('each/steps[0]/a', done({ v: 1 }));
    expect(run.output).toEqual({ results: [{ v: 1 }, { v: 2 }, { v: 3 }], count: 3 });
  });

  it('keeps no state of completed items', () => {
    const run = begun([
      foreach(
        Array.from({ length: 50 }, (_, n) => n),
        [step('a'), set('b', { v: 1 })],
      ),
    ]);
    for (let item = 0; item < 40; item++) {
      run.settle(`each/steps[${item}]/a`, done());
      run.settle(`each/steps[${item}]/b`, done());
    }
    expect([...run.state.steps.keys()]).toEqual(['each']);
    expect([run.state.items.size, run.state.cursors.size, run.state.open.size]).toEqual([0, 0, 1]);
    run.drive();
    expect([...run.state.steps.keys()]).toEqual(['each']);
  });

  it('with very many empty items decides a limited number at a time', () => {
    const run = bench(
      [foreach('{{ trigger.list }}', [step('a', { if: false })])],
      {},
      {
        trigger: { list: Array(5_000).fill(0) },
      },
    );
    run.play();
    expect(run.output).toMatchObject({ count: 5_000 });
    expect(Math.max(...run.decisions.map((entries) => entries.length))).toBeLessThan(600);
  });
});

describe('approvals in loops', () => {
  it('have unique names, and are answered one by one', () => {
    const run = begun([foreach(['x', 'y'], [step('ask')], { concurrency: 2 })]);
    run.settle('each/steps[0]/ask', approval);
    run.settle('each/steps[1]/ask', approval);
    expect(waitingOf(run.state)).toMatchObject([
      { step_id: 'ask', name: 'approve-ask.0' },
      { step_id: 'ask', name: 'approve-ask.1' },
    ]);
    expect(kindsAndPaths(run.send(mail('m', 'approve-ask.1', T0, { approved: true })))).toEqual([
      'completed each/steps[1]/ask',
      'item each',
    ]);
    expect(kinds(run.send(mail('n', 'approve-ask', T0, { approved: true })))).toEqual([]);
    run.send(mail('o', 'approve-ask.0', T0, { approved: false }));
    expect(run.output).toMatchObject({ results: [{ approved: false }, { approved: true }] });
  });

  it('are all shown, without texts over the limit', () => {
    const run = begun([foreach(Array(40).fill(0), [step('ask')], { concurrency: 40 })]);
    const wait = { ...approval.wait, message: 'x'.repeat(100_000), approvers: ['ann'] } as Wait;
    for (let item = 0; item < 40; item++) run.settle(`each/steps[${item}]/ask`, { kind: 'wait', wait });
    const shown = waitingOf(run.state);
    expect(shown.map(({ name, approvers }) => [name, approvers])).toEqual(
      Array.from({ length: 40 }, (_, item) => [`approve-ask.${item}`, ['ann']]),
    );
    expect(shown.filter(({ message }) => message !== undefined)).toHaveLength(10);
    expect(JSON.stringify(shown).length).toBeLessThan(1.2 * 1024 * 1024);
  });

  it('have links for earlier steps of the same item', () => {
    const run = bench([
      foreach(
        ['x', 'y'],
        [
          set('tell', { link: '{{ approval_link("ask", "approve") }}' }),
          loop('{{ loop.index < 1 }}', [set('again', { link: '{{ approval_link("ask", "reject") }}' })]),
          step('ask'),
        ],
      ),
    ]).play();
    expect(outputsOf(run)).toMatchObject({
      'each/steps[1]/tell': { link: 'ask.1/approve' },
      'each/steps[1]/poll/steps.0/again': { link: 'ask.1/reject' },
    });
  });
});

describe('a while', () => {
  const count = [set('a', { n: '{{ (steps.a.n ?? 0) + 1 }}' })];

  it('iterates while its condition holds, which sees the last iteration', () => {
    const run = begun([loop('{{ (steps.a.n ?? 0) < 3 }}', count), set('z', { n: '{{ steps.a.n }}' })]).play();
    expect(outputsOf(run)).toMatchObject({ poll: { iterations: 3 }, z: { n: 3 } });
    expect(run.entries.filter((entry) => entry.kind === 'loop.turn').map((entry) => entry.index)).toEqual([0, 1, 2]);
  });

  it('whose condition is false at first does not iterate', () => {
    expect(begun([loop('{{ false }}', [step('a')])]).output).toEqual({ iterations: 0 });
  });

  it('provides the iteration number to its steps and its condition', () => {
    const run = begun([loop('{{ loop.index < 2 }}', [set('a', { i: '{{ loop.index }}' })])]).play();
    expect(outputsOf(run)).toMatchObject({ 'poll/steps.0/a': { i: 0 }, 'poll/steps.1/a': { i: 1 } });
    expect(run.output).toEqual({ iterations: 2 });
  });

  it('with too many iterations fails', () => {
    const run = begun([loop(true, [step('a')], { max_iterations: 3 })]).play();
    expect(run.state.ended?.error).toMatchObject({ code: 'too_many_iterations', step_id: 'poll' });
    expect(run.entries.filter((entry) => entry.kind === 'loop.turn')).toHaveLength(3);
  });

  it('does not see the previous output of a step that is skipped now', () => {
    const run = begun([
      loop('{{ loop.index < 2 }}', [
        step('a', { if: '{{ loop.index == 0 }}' }),
        set('b', { seen: '{{ exists(steps.a) }}' }),
      ]),
    ]).play();
    expect(outputsOf(run)).toMatchObject({ 'poll/steps.0/b': { seen: true }, 'poll/steps.1/b': { seen: false } });
  });

  it('whose condition cannot be evaluated fails', () => {
    const run = begun([loop('{{ 1 - "x" }}', [step('a')])]);
    expect(run.state.ended?.error).toMatchObject({ code: 'expression', step_id: 'poll' });
  });

  it('fails when a step in it fails', () => {
    const run = begun([loop(true, [step('a')])]).drive({ answers: { 'poll/steps.1/a': failed() } });
    expect(run.state.ended?.error).toMatchObject({ code: 'c', step_id: 'a' });
  });

  it('keeps no state of completed iterations', () => {
    const run = begun([loop(true, [step('a'), step('b')])]);
    for (let turn = 0; turn < 30; turn++)
      for (const id of ['a', 'b']) run.settle(`poll/steps.${turn}/${id}`, done({ turn }));
    expect([...run.state.steps.keys()]).toEqual(['poll']);
    expect(run.state.outputs.b).toEqual({ turn: 29 });
    run.settle('poll/steps.30/a', done());
    expect([...run.state.cursors.keys()]).toEqual(['poll/steps.30']);
  });

  it('with very many empty iterations decides a limited number at a time', () => {
    const run = begun([loop('{{ loop.index < 5000 }}', [step('a', { if: false })], { max_iterations: 5_000 })]).play();
    expect(run.output).toEqual({ iterations: 5_000 });
    expect(Math.max(...run.decisions.map((entries) => entries.length))).toBeLessThan(600);
  });
});

describe('scopes of nested loops', () => {
  it('see the item and index of outer loops', () => {
    const run = bench([
      foreach(
        [['x', 'y'], ['z']],
        [
          {
            id: 'inner',
            type: 'foreach',
            config: { items: '{{ loop.item }}' },
            steps: [
              loop('{{ loop.index < 1 }}', [
                set('a', {
                  v: '{{ loop.parent.item }}',
                  i: '{{ loop.parent.parent.index }}{{ loop.parent.index }}{{ loop.index }}',
                }),
              ]),
              set('last', { v: '{{ steps.a.v }}' }),
            ],
          },
        ],
      ),
    ]).play();
    expect(outputsOf(run)).toMatchObject({
      'each/steps[0]/inner/steps[1]/poll/steps.0/a': { v: 'y', i: '010' },
      'each/steps[1]/inner/steps[0]/poll/steps.0/a': { v: 'z', i: '100' },
    });
    expect(run.output).toEqual({
      results: [
        { results: [{ v: 'x' }, { v: 'y' }], count: 2 },
        { results: [{ v: 'z' }], count: 1 },
      ],
      count: 2,
    });
  });

  it('limit outputs of an item to that item', () => {
    const run = bench([
      set('a', { v: 'outer' }),
      foreach([1, 2], [set('b', { a: '{{ steps.a.v }}', c: '{{ exists(steps.c) }}' }), set('c', { v: 1 })], {
        concurrency: 2,
      }),
      set('z', { b: '{{ exists(steps.b) }}', results: '{{ steps.each.results[0].v }}' }),
    ]).play();
    expect(outputsOf(run)).toMatchObject({
      'each/steps[1]/b': { a: 'outer', c: false },
      z: { b: false, results: 1 },
    });
    expect(Object.keys(run.state.outputs).sort()).toEqual(['a', 'each', 'z']);
  });

  it('make outputs inside of a branch, a try, a parallel block and an iteration visible around them', () => {
    const run = bench([
      {
        id: 'p',
        type: 'parallel',
        branches: [
          { id: 'l', steps: [set('a', { v: 1 })] },
          { id: 'r', steps: [set('b', { v: 2 })] },
        ],
      },
      { id: 't', type: 'try', steps: [set('c', { v: 3 })], finally: [] },
      { id: 'i', type: 'branch', cases: [{ when: true, steps: [set('d', { v: 4 })] }] },
      loop('{{ loop.index < 1 }}', [set('e', { v: 5 })]),
      set('z', { sum: '{{ steps.a.v + steps.b.v + steps.c.v + steps.d.v + steps.e.v }}' }),
    ]).play();
    expect(run.output).toEqual({ sum: 15 });
  });
});
