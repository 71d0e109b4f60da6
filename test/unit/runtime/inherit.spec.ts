import type { Json, JsonObject } from '../../../lib/json';
import { inherit } from '../../../runtime/rules/inherit';
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
  const taken = inherit({ plan: earlier.facts.plan, entries: earlier.entries }, run.facts.plan, fromStep ?? null);
  run.tell({ kind: 'inherit', from: 'earlier', taken });
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
  it('does in a foreach only what is not done', () => {
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

  it('goes on in the turn of a while in which it failed, and sees what the last turn put out', () => {
    const steps = [loop([set('a', { n: '{{ (steps.a.n ?? 0) + 1 }}' }), step('b')])];
    const { run } = repeated(steps, { answers: { 'poll/steps.2/b': failed() } });
    expect(launched(run)).toEqual(['poll/steps.2/b', 'poll/steps.3/a', 'poll/steps.3/b']);
    expect(outputsOf(run)).toMatchObject({ 'poll/steps.3/a': { n: 4 }, poll: { iterations: 4 } });
  });

  it('stays with the case of a branch, and sees what steps in it put out', () => {
    const steps = [
      { id: 'big', type: 'branch', cases: [{ when: true, steps: [step('a'), step('b')] }] },
      set('z', { a: '{{ steps.a.at }}' }),
    ];
    const { run } = repeated(steps, { answers: { 'big/cases.0/b': failed() } });
    expect(launched(run)).toEqual(['big/cases.0/b', 'z']);
    expect(run.output).toEqual({ a: 'big/cases.0/a' });
  });

  it('sees what is inside of steps that are done, failures that were handled included', () => {
    const steps = [
      { id: 'safe', type: 'try', steps: [step('a'), step('b')], catch: [step('c')] },
      set('z', { a: '{{ steps.a.at }}', b: '{{ steps.b.error.code }}', c: '{{ steps.c.at }}' }),
      step('bad'),
    ];
    const { run } = repeated(steps, { answers: { 'safe/steps/b': failed(), bad: failed() } });
    expect(launched(run)).toEqual(['bad']);
    expect(run.state.outputs).toMatchObject({ a: { at: 'safe/steps/a' }, b: { error: { code: 'c' } }, z: { b: 'c' } });
  });

  it('tries again what failed in a try that is not done, before its catch', () => {
    const steps = [{ id: 'safe', type: 'try', steps: [step('a'), step('b')], catch: [step('c'), step('d')] }];
    const { run } = repeated(steps, { answers: { 'safe/steps/b': failed(), 'safe/catch/d': failed() } });
    expect(launched(run)).toEqual(['safe/steps/b']);
    expect(run.output).toEqual({ failed: false, error: null });
  });

  it('asks anew whether a skipped step is wanted', () => {
    const { run } = repeated(
      [step('a', { if: false }), step('b')],
      { answers: { b: failed() } },
      {
        steps: [step('a', { if: true }), step('b')],
      },
    );
    expect(launched(run)).toEqual(['a', 'b']);
  });

  it('does again what was undone, and what holds it', () => {
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

  it('can undo what it has taken over', () => {
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

  it('does anew what another version of the workflow does in another way', () => {
    const { run } = repeated(
      [foreach([step('a')]), step('bad')],
      { answers: { bad: failed() } },
      {
        steps: [foreach([step('a')], { config: { items: ['x'] } }), step('bad')],
      },
    );
    expect(launched(run)).toEqual(['each/steps[0]/a', 'bad']);
  });

  it('takes over little of long loops', () => {
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

  it('does that step and those after it anew', () => {
    expect(launched(repeated(steps, {}, { fromStep: 'd' }).run)).toEqual(['d']);
  });

  it('that others hold does all of the outermost of those anew', () => {
    expect(launched(repeated(steps, {}, { fromStep: 'c' }).run)).toEqual(['safe/steps/b', 'safe/steps/c', 'd']);
  });

  it('does anew what needs it, wherever that stands', () => {
    const needy = [step('x', { needs: ['y'] }), step('w', { needs: [] }), step('y', { needs: [] })];
    expect(launched(repeated(needy, {}, { fromStep: 'y' }).run)).toEqual(['y', 'x']);
  });
});

describe.each(
  STORIES.filter(
    ({ steps, rest, script, word }) => bench(steps, rest, {}, word).play(script).state.ended?.status === 'failed',
  ),
)('a repetition of: $title', ({ steps, script }) => {
  it('succeeds when nothing fails, and does nothing twice that still counts', () => {
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
