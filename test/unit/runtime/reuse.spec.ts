import type { Json, JsonObject } from '../../../lib/json';
import { reusableEntries } from '../../../runtime/core/reuse/reuse';
import { type Bench, bench, failed, outputsOf, type Script, set, step } from '../../support/runtime/bench';
import { STORIES } from '../../support/runtime/stories';

interface Retry {
  readonly fromStep?: string;
  /** The document of the second run, if it is another one. */
  readonly steps?: Json[];
  readonly script?: Script;
}

/** A run, and another one that repeats it. */
function repeated(steps: Json[], first: Script, { fromStep, steps: others = steps, script = {} }: Retry = {}) {
  const earlier = bench(steps).play(first);
  const run = bench(others);
  const taken = reusableEntries(
    { plan: earlier.facts.plan, entries: earlier.entries },
    run.facts.plan,
    fromStep ?? null,
  );
  run.tell({ kind: 'reuse', from: 'earlier', entries: taken });
  run.play(script);
  return { earlier, run, taken };
}

const launched = (run: Bench): string[] =>
  run.launched.flatMap((command) => (command.kind === 'run' ? [command.path] : []));
const foreach = (steps: Json[], more: JsonObject = {}): Json => ({
  id: 'each',
  type: 'foreach',
  config: { items: [0, 1, 2, 3] },
  steps,
  ...more,
});
const loop = (steps: Json[]): Json => ({
  id: 'poll',
  type: 'while',
  config: { condition: '{{ loop.index < 4 }}' },
  steps,
});

describe('a run that repeats a failed one', () => {
  it('runs only the open items of a foreach', () => {
    const { run, taken } = repeated(
      [foreach([step('a'), step('b')]), set('z', { n: '{{ steps.each.results[0].at }}' })],
      {
        answers: { 'each/steps[2]/b': failed() },
      },
    );
    expect(launched(run)).toEqual(['each/steps[2]/b', 'each/steps[3]/a', 'each/steps[3]/b', 'z']);
    expect(run.state.outputs.each).toMatchObject({ count: 4, results: { 1: { at: 'each/steps[1]/b' } } });
    expect(run.output).toEqual({ n: 'each/steps[0]/b' });
    // Of an item that is over, only its result.
    expect(taken.map(({ path }) => path)).not.toContain('each/steps[0]/a');
    expect(run.entries.filter((entry) => 'from' in entry)).toHaveLength(taken.length);
  });

  it('continues in the iteration of a while in which it failed, and sees the outputs of the last iteration', () => {
    const steps = [loop([set('a', { n: '{{ (steps.a.n ?? 0) + 1 }}' }), step('b')])];
    const { run } = repeated(steps, { answers: { 'poll/steps.2/b': failed() } });
    expect(launched(run)).toEqual(['poll/steps.2/b', 'poll/steps.3/a', 'poll/steps.3/b']);
    expect(outputsOf(run)).toMatchObject({ 'poll/steps.3/a': { n: 4 }, poll: { iterations: 4 } });
  });

  it('keeps the case of a branch, and sees the outputs of its steps', () => {
    const steps = [
      { id: 'big', type: 'branch', cases: [{ when: true, steps: [step('a'), step('b')] }] },
      set('z', { a: '{{ steps.a.at }}' }),
    ];
    const { run } = repeated(steps, { answers: { 'big/cases.0/b': failed() } });
    expect(launched(run)).toEqual(['big/cases.0/b', 'z']);
    expect(run.output).toEqual({ a: 'big/cases.0/a' });
  });

  it('sees the steps of completed containers, with handled failures', () => {
    const steps = [
      { id: 'safe', type: 'try', steps: [step('a'), step('b')], catch: [step('c')] },
      set('z', { a: '{{ steps.a.at }}', b: '{{ steps.b.error.code }}', c: '{{ steps.c.at }}' }),
      step('bad'),
    ];
    const { run } = repeated(steps, { answers: { 'safe/steps/b': failed(), bad: failed() } });
    expect(launched(run)).toEqual(['bad']);
    expect(run.state.outputs).toMatchObject({ a: { at: 'safe/steps/a' }, b: { error: { code: 'c' } }, z: { b: 'c' } });
  });

  it('retries the failed step of an open try, before its catch', () => {
    const steps = [{ id: 'safe', type: 'try', steps: [step('a'), step('b')], catch: [step('c'), step('d')] }];
    const { run } = repeated(steps, { answers: { 'safe/steps/b': failed(), 'safe/catch/d': failed() } });
    expect(launched(run)).toEqual(['safe/steps/b']);
    expect(run.output).toEqual({ failed: false, error: null });
  });

  it('evaluates the condition of a skipped step again', () => {
    const { run } = repeated(
      [step('a', { if: false }), step('b')],
      { answers: { b: failed() } },
      {
        steps: [step('a', { if: true }), step('b')],
      },
    );
    expect(launched(run)).toEqual(['a', 'b']);
  });

  it('repeats compensated steps and their containers', () => {
    const steps = [
      step('a', { compensate: [step('ua')] }),
      step('b'),
      foreach([step('pay', { compensate: [step('refund')] }), step('c')]),
      loop([step('d', { compensate: [step('ud')] }), step('e')]),
      step('bad'),
    ];
    const { run } = repeated(steps, { answers: { bad: failed() } });
    expect(launched(run)).toEqual([
      'a',
      ...[0, 1, 2, 3].map((item) => `each/steps[${item}]/pay`),
      ...[0, 1, 2, 3].flatMap((turn) => [`poll/steps.${turn}/d`, `poll/steps.${turn}/e`]),
      'bad',
    ]);
  });

  it('can compensate reused steps', () => {
    const steps = [
      foreach([step('n'), step('pay', { compensate: [set('refund', { n: '{{ steps.n.at }}' })] })], { compensate: [] }),
      step('bad'),
    ];
    const compensated = [foreach([step('n'), step('pay')]), step('bad')];
    // The first run knew nothing of undoing; the second one is of the next version of the workflow.
    const { run } = repeated(
      compensated,
      { answers: { bad: failed() } },
      { steps, script: { answers: { bad: failed() } } },
    );
    expect(launched(run).slice(0, 2)).toEqual(['bad', 'each/steps[3]/pay/compensate/refund']);
    expect(outputsOf(run)['each/steps[0]/pay/compensate/refund']).toEqual({ n: 'each/steps[0]/n' });
  });

  it('repeats steps that another version of the workflow changed', () => {
    const { run } = repeated(
      [foreach([step('a')]), step('bad')],
      { answers: { bad: failed() } },
      {
        steps: [foreach([step('a')], { config: { items: ['x'] } }), step('bad')],
      },
    );
    expect(launched(run)).toEqual(['each/steps[0]/a', 'bad']);
  });

  it('reuses few entries of long loops', () => {
    const many = Array.from({ length: 500 }, (_, n) => n);
    const steps = [
      foreach([step('a'), step('b')], { config: { items: many } }),
      { id: 'poll', type: 'while', config: { condition: '{{ loop.index < 500 }}' }, steps: [step('c'), step('d')] },
      step('bad'),
    ];
    const { taken } = repeated(steps, { answers: { bad: failed() } });
    expect(taken.length).toBeLessThan(10);
    const half = repeated(steps, { answers: { 'each/steps[250]/b': failed() } });
    expect(half.taken).toHaveLength(1 + 2 * 250 + 1);
  });
});

describe('a run that repeats another one from a step', () => {
  const steps = [step('a'), { id: 'safe', type: 'try', steps: [step('b'), step('c')], catch: [] }, step('d')];

  it('repeats that step and those after it', () => {
    expect(launched(repeated(steps, {}, { fromStep: 'd' }).run)).toEqual(['d']);
  });

  it('inside of a try keeps its completed siblings', () => {
    expect(launched(repeated(steps, {}, { fromStep: 'c' }).run)).toEqual(['safe/steps/c', 'd']);
  });

  it('keeps other branches of a parallel', () => {
    const sides = [
      {
        id: 'sides',
        type: 'parallel',
        branches: [
          { id: 'left', steps: [step('left1'), step('left2'), step('left3')] },
          { id: 'right', steps: [step('right1')] },
        ],
      },
      step('z'),
    ];
    const again = ['sides/branches.0/left2', 'sides/branches.0/left3', 'z'];
    expect(launched(repeated(sides, {}, { fromStep: 'left2' }).run)).toEqual(again);
    const first = { answers: { 'sides/branches.0/left2': failed() } };
    expect(launched(repeated(sides, first, { fromStep: 'left2' }).run)).toEqual(again);
    expect(launched(repeated(sides, first, { fromStep: 'left3' }).run)).toEqual(again);
  });

  it('keeps the case of a branch', () => {
    const big = [
      {
        id: 'big',
        type: 'branch',
        cases: [{ when: true, steps: [step('a'), step('b'), step('c')] }],
        else: [step('e')],
      },
      step('z'),
    ];
    expect(launched(repeated(big, {}, { fromStep: 'b' }).run)).toEqual(['big/cases.0/b', 'big/cases.0/c', 'z']);
  });

  it('lets a branch decide again for a step of a case that was not chosen', () => {
    const big = [
      step('a'),
      { id: 'big', type: 'branch', cases: [{ when: true, steps: [step('b')] }], else: [step('e')] },
    ];
    expect(launched(repeated(big, {}, { fromStep: 'e' }).run)).toEqual(['big/cases.0/b']);
  });

  it('in a foreach runs it in the items in which it did not complete', () => {
    const each = [foreach([step('a'), step('b'), step('c')]), step('z')];
    const first = { answers: { 'each/steps[2]/b': failed() } };
    expect(launched(repeated(each, first, { fromStep: 'b' }).run)).toEqual([
      'each/steps[2]/b',
      'each/steps[2]/c',
      'each/steps[3]/a',
      'each/steps[3]/b',
      'each/steps[3]/c',
      'z',
    ]);
  });

  it('in a foreach repeats it in all items when it completed in each, and keeps earlier steps', () => {
    const each = [foreach([step('a'), step('b')]), step('z')];
    const { run } = repeated(each, {}, { fromStep: 'b' });
    expect(launched(run)).toEqual([...[0, 1, 2, 3].map((item) => `each/steps[${item}]/b`), 'z']);
    expect(run.state.outputs.each).toMatchObject({ count: 4 });
  });

  it('in a while continues in the iteration in which it failed, and repeats the later ones', () => {
    const poll = [loop([step('a'), step('b'), step('c')])];
    const first = { answers: { 'poll/steps.2/b': failed() } };
    expect(launched(repeated(poll, first, { fromStep: 'b' }).run)).toEqual([
      'poll/steps.2/b',
      'poll/steps.2/c',
      'poll/steps.3/a',
      'poll/steps.3/b',
      'poll/steps.3/c',
    ]);
    const all = launched(repeated(poll, {}, { fromStep: 'b' }).run);
    expect(all.slice(0, 3)).toEqual(['poll/steps.0/b', 'poll/steps.0/c', 'poll/steps.1/a']);
    expect(all).toHaveLength(2 + 3 * 3);
  });

  it('inside of a catch handles the same failure again', () => {
    const safe = [
      { id: 'safe', type: 'try', steps: [step('a'), step('b')], catch: [step('c'), step('d')], finally: [step('f')] },
      step('z'),
    ];
    const first = { answers: { 'safe/steps/b': failed() } };
    const { run } = repeated(safe, first, { fromStep: 'd' });
    expect(launched(run)).toEqual(['safe/catch/d', 'safe/finally/f', 'z']);
    expect(run.state.outputs.safe).toMatchObject({ failed: true });
    expect(launched(repeated(safe, first, { fromStep: 'f' }).run)).toEqual(['safe/finally/f', 'z']);
    expect(launched(repeated(safe, first, { fromStep: 'b' }).run)).toEqual(['safe/steps/b', 'safe/finally/f', 'z']);
  });

  it('keeps the other steps at every level of nesting', () => {
    const nested = [
      step('a'),
      foreach([
        step('b'),
        {
          id: 'sides',
          type: 'parallel',
          branches: [
            { id: 'left', steps: [step('c'), step('d')] },
            { id: 'right', steps: [step('e')] },
          ],
        },
        step('f'),
      ]),
      step('z'),
    ];
    const at = 'each/steps[1]/sides/branches.0/d';
    const { run } = repeated(nested, { answers: { [at]: failed() } }, { fromStep: 'd' });
    expect(launched(run).slice(0, 3)).toEqual([at, 'each/steps[1]/f', 'each/steps[2]/b']);
    expect(run.state.ended).toMatchObject({ status: 'completed' });
  });

  it('keeps a failure after which the workflow continued', () => {
    const optional = [step('a', { on_error: 'continue' }), step('b'), step('c')];
    expect(launched(repeated(optional, { answers: { a: failed() } }, { fromStep: 'c' }).run)).toEqual(['c']);
    expect(launched(repeated(optional, { answers: { a: failed() } }, { fromStep: 'a' }).run)).toEqual(['a', 'b', 'c']);
  });

  it('that handles an error repeats the failed step', () => {
    const handled = [step('a', { on_error: [step('h')] }), step('b')];
    expect(launched(repeated(handled, { answers: { a: failed() } }, { fromStep: 'h' }).run)).toEqual(['a', 'b']);
  });

  it('repeats steps that need it, at any place', () => {
    const needy = [step('x', { needs: ['y'] }), step('w', { needs: [] }), step('y', { needs: [] })];
    expect(launched(repeated(needy, {}, { fromStep: 'y' }).run)).toEqual(['y', 'x']);
  });
});

describe.each(
  STORIES.filter(
    ({ steps, rest, script, word }) => bench(steps, rest, {}, word).play(script).state.ended?.status === 'failed',
  ),
)('a repetition of: $title', ({ steps, script }) => {
  it('succeeds without failures, and repeats no reused step', () => {
    const { earlier, run } = repeated(steps, script ?? {}, { script: { ...script, answers: {} } });
    expect(run.state.ended).toMatchObject({ status: 'completed', error: null });
    const undone = earlier.entries.flatMap((entry) =>
      'path' in entry && entry.path.includes('/compensate/') ? [entry.path.split('/compensate/')[0]] : [],
    );
    const counts = Object.keys(outputsOf(earlier)).filter(
      (path) => !/\/(compensate|catch|finally|on_error)\//.test(path) && !undone.includes(path),
    );
    const inTurns = counts.filter((path) => !/\/steps\.\d/.test(path));
    expect(launched(run).filter((path) => inTurns.includes(path))).toEqual([]);
  });
});

describe.each(STORIES)('a restart from any step of: $title', ({ steps, rest, script, word }) => {
  it('ends, and repeats no earlier step of the block', () => {
    const earlier = bench(steps, rest, {}, word).play(script);
    const { plan } = earlier.facts;
    for (const [path, { def }] of plan.byPath) {
      const run = bench(steps, rest, {}, word);
      const taken = reusableEntries({ plan, entries: earlier.entries }, run.facts.plan, def.id);
      run.tell({ kind: 'reuse', from: 'earlier', entries: taken });
      run.play({ ...script, answers: {} });
      expect(run.state.ended).not.toBeNull();
      if (path.includes('/') || path.startsWith('.') || !plan.root.sequential) continue;
      const index = plan.root.steps.findIndex((step) => step.path === path);
      const completed = new Set(
        earlier.entries.flatMap((entry) => (entry.kind === 'step.completed' ? [entry.path] : [])),
      );
      const before = plan.root.steps.slice(0, index).map((step) => step.path);
      const undone = new Set(
        earlier.entries.flatMap((e) => ('path' in e && e.path.includes('/compensate/') ? [e.path.split('/')[0]] : [])),
      );
      expect(launched(run).filter((each) => before.includes(each) && completed.has(each) && !undone.has(each))).toEqual(
        [],
      );
    }
  });
});

describe('a restart at the path of a step in a loop', () => {
  const steps = [
    foreach([step('a'), step('b'), step('c')]),
    set('z', { n: '{{ steps.each.count }}' }),
    step('free', { needs: [] }),
  ];

  it('runs that item alone, from the step on, and what depends on the loop', () => {
    const { run } = repeated(steps, {}, { fromStep: 'each/steps[2]/b' });
    expect(launched(run)).toEqual(['each/steps[2]/b', 'each/steps[2]/c', 'z']);
    expect(run.state.outputs.each).toMatchObject({ count: 4, results: { 1: { at: 'each/steps[1]/c' } } });
  });

  it('runs the iteration of a while and those after it', () => {
    const { run } = repeated([loop([step('a'), step('b')])], {}, { fromStep: 'poll/steps.2/b' });
    expect(launched(run)).toEqual(['poll/steps.2/b', 'poll/steps.3/a', 'poll/steps.3/b']);
  });
});
