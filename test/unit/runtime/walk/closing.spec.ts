import type { Json, JsonObject } from '../../../../lib/json';
import { CANCEL } from '../../../../runtime/core/state/state';
import { MAX_CLEANUP_MS, nextDue } from '../../../../runtime/core/decide/due';
import {
  Bench,
  bench,
  done,
  failed,
  mail,
  outputsOf,
  set,
  step,
  T0,
  kindsAndPaths,
} from '../../../support/runtime/bench';

const undoable = (id: string, more: JsonObject = {}): Json =>
  step(id, {
    compensate: [set(`undo_${id}`, { at: `{{ steps.${id}.at }}`, why: '{{ error.code ?? "none" }}' })],
    ...more,
  });
const attempt = (id: string, steps: Json[], more: JsonObject = {}): Json => ({ id, type: 'try', steps, ...more });
const launched = (run: Bench): string[] => [...run.flights.keys()];
const begun = (steps: Json[], rest: JsonObject = {}): Bench => {
  const run = bench(steps, rest);
  run.tell({ kind: 'resume' });
  return run;
};
const cancel = mail(CANCEL, CANCEL);
/** The steps that ran after the run began to close, in their order. */
const cleaned = (run: Bench): string[] =>
  run.entries
    .slice(run.entries.findIndex(({ kind }) => kind === 'run.closing') + 1)
    .flatMap((entry) => (entry.kind === 'step.completed' || entry.kind === 'step.failed' ? [entry.path] : []));

describe('a run that fails', () => {
  it('compensates completed steps, the last first, and then fails', () => {
    const run = begun([undoable('a'), step('b'), undoable('c'), step('d')]);
    run.drive({ answers: { d: failed() } });
    expect(kindsAndPaths(run.entries).slice(4)).toEqual([
      'closing',
      'completed c/compensate/undo_c',
      'completed a/compensate/undo_a',
      'ended',
    ]);
    expect(outputsOf(run)['a/compensate/undo_a']).toEqual({ at: 'a', why: 'c' });
    expect(run.state.ended).toMatchObject({ status: 'failed', error: { code: 'c', step_id: 'd' }, output: null });
  });

  it('compensates one step after the other, each completely', () => {
    const run = begun([
      step('a', { compensate: [step('u'), step('v')] }),
      step('b', { compensate: [step('w')] }),
      step('c'),
    ]);
    run.drive({ answers: { c: failed(), 'b/compensate/w': () => failed() } });
    expect(cleaned(run)).toEqual(['b/compensate/w', 'a/compensate/u', 'a/compensate/v']);
  });

  it('continues when a compensation fails, which is recorded', () => {
    const run = begun([undoable('a'), step('b', { compensate: [step('w'), step('x')] }), step('c')]);
    run.drive({ answers: { c: failed(), 'b/compensate/w': failed({ error: { code: 'undo', message: 'm' } }) } });
    expect(cleaned(run)).toEqual(['b/compensate/w', 'a/compensate/undo_a']);
    expect(run.state.ended?.error).toMatchObject({ step_id: 'c' });
  });

  it('does not compensate steps that failed, were skipped, or did not start', () => {
    const run = begun([
      undoable('a', { on_error: 'continue' }),
      undoable('b', { if: false }),
      step('c'),
      undoable('d'),
    ]);
    run.drive({ answers: { a: failed(), c: failed() } });
    expect(kindsAndPaths(run.entries)).not.toContain('closing');
    expect(run.state.ended?.status).toBe('failed');
  });

  it('retries a compensation by the policy of its step', () => {
    const retry = { max_attempts: 2, initial_interval: '5s', jitter: 0 };
    const run = begun([step('a', { compensate: [step('u', { retry })] }), step('b')]);
    run.play({ answers: { b: failed(), 'a/compensate/u': (n) => (n === 1 ? failed({ retryable: true }) : done()) } });
    expect(cleaned(run)).toEqual(['a/compensate/u', 'a/compensate/u']);
    expect(run.state.ended?.at).toBe(T0 + 5_000);
  });

  it('cancels other steps in progress before it compensates', () => {
    const run = begun([undoable('a', { needs: [] }), step('b', { needs: [] }), step('c', { needs: [] })]);
    run.settle('a', done({ at: 'a' }));
    expect(kindsAndPaths(run.settle('b', failed()))).toEqual(['failed b', 'closing', 'cancelled c']);
    expect(launched(run)).toEqual(['a/compensate/undo_a']);
  });

  it('runs its on_error steps after all compensations', () => {
    const run = begun([undoable('a'), step('b')], {
      on_error: [
        set('mail', { who: '{{ error.step_id }}', type: '{{ error.type }}', a: '{{ steps.a.at }}' }),
        step('more'),
      ],
    });
    run.drive({ answers: { b: failed() } });
    expect(cleaned(run)).toEqual(['a/compensate/undo_a', '.on_error/mail', '.on_error/more']);
    expect(outputsOf(run)['.on_error/mail']).toEqual({ who: 'b', type: 'effect', a: 'a' });
    expect(run.state.ended).toMatchObject({ status: 'failed', error: { step_id: 'b' } });
  });

  it('fails with its error though its on_error steps fail too', () => {
    const run = begun([step('b')], { on_error: [step('mail')] });
    run.drive({ answers: { b: failed(), '.on_error/mail': failed({ error: { code: 'd', message: 'm' } }) } });
    expect(run.state.ended).toMatchObject({ status: 'failed', error: { code: 'c', step_id: 'b' } });
  });

  it('by its output does the same, without a failed step', () => {
    const run = begun([undoable('a')], {
      output: { v: '{{ steps.a.no.such }}' },
      on_error: [set('mail', { e: '{{ error }}' })],
    });
    run.drive();
    expect(cleaned(run)).toEqual(['a/compensate/undo_a', '.on_error/mail']);
    expect(outputsOf(run)['.on_error/mail']).toMatchObject({ e: { step_id: null, type: null, code: 'expression' } });
  });
});

describe('a compensation inside of a loop', () => {
  it('sees the item and the outputs of its step', () => {
    const run = begun([
      {
        id: 'each',
        type: 'foreach',
        config: { items: ['x', 'y'] },
        steps: [
          set(
            'pay',
            { v: '{{ loop.item }}' },
            {
              compensate: [set('refund', { v: '{{ steps.pay.v }}', i: '{{ loop.index }}', of: '{{ loop.item }}' })],
            },
          ),
          step('b'),
        ],
      },
      step('z'),
    ]);
    run.drive({ answers: { z: failed() } });
    expect(cleaned(run)).toEqual(['each/steps[1]/pay/compensate/refund', 'each/steps[0]/pay/compensate/refund']);
    expect(outputsOf(run)).toMatchObject({
      'each/steps[0]/pay/compensate/refund': { v: 'x', i: 0, of: 'x' },
      'each/steps[1]/pay/compensate/refund': { v: 'y', i: 1, of: 'y' },
    });
  });

  it('sees the output of its iteration, though a later one has another', () => {
    const run = begun([
      {
        id: 'poll',
        type: 'while',
        config: { condition: '{{ loop.index < 2 }}' },
        steps: [set('pay', { n: '{{ loop.index }}' }, { compensate: [set('refund', { n: '{{ steps.pay.n }}' })] })],
      },
      step('z'),
    ]);
    run.drive({ answers: { z: failed() } });
    expect(outputsOf(run)).toMatchObject({
      'poll/steps.0/pay/compensate/refund': { n: 0 },
      'poll/steps.1/pay/compensate/refund': { n: 1 },
    });
  });

  it('is recovered after a crash, and does not run twice', () => {
    const whole = bench([
      {
        id: 'each',
        type: 'foreach',
        config: { items: [1, 2, 3] },
        steps: [step('pay', { compensate: [step('refund')] })],
      },
      step('z'),
    ]).play({ answers: { z: failed() } });
    const wanted = cleaned(whole);
    expect(wanted).toHaveLength(3);
    for (let decisions = 0; decisions <= whole.decisions.length; decisions++) {
      const next = Bench.after(whole, decisions).play({ answers: { z: failed() } });
      expect(cleaned(next)).toEqual(wanted);
    }
  });
});

describe('a container step', () => {
  it('can be compensated as a whole when it is completed', () => {
    const run = begun([attempt('pay', [step('a'), undoable('b')], { compensate: [step('u')] }), step('z')]);
    run.drive({ answers: { z: failed() } });
    expect(cleaned(run)).toEqual(['pay/compensate/u', 'pay/steps/b/compensate/undo_b']);
  });

  it('whose failure was caught leaves completed steps for a later compensation', () => {
    const run = begun([attempt('safe', [undoable('a'), step('b')], { catch: [] }), step('z')]);
    run.drive({ answers: { 'safe/steps/b': failed(), z: failed() } });
    expect(cleaned(run)).toEqual(['safe/steps/a/compensate/undo_a']);
  });
});

describe('a run that is cancelled', () => {
  it('compensates completed steps, without on_error', () => {
    const run = begun([undoable('a'), step('b')], { on_error: [step('mail')] });
    run.settle('a', done({ at: 'a' }));
    expect(kindsAndPaths(run.send(cancel))).toEqual(['closing', 'cancelled b']);
    run.drive();
    expect(cleaned(run)).toEqual(['a/compensate/undo_a']);
    expect(outputsOf(run)['a/compensate/undo_a']).toEqual({ at: 'a', why: 'none' });
    expect(run.state.ended).toMatchObject({ status: 'cancelled', error: null });
  });

  it('runs the finally block of each started try, the last one first', () => {
    const run = begun([
      attempt(
        'outer',
        [undoable('a'), attempt('inner', [undoable('b'), step('c')], { finally: [set('g', { e: '{{ error }}' })] })],
        {
          finally: [step('f')],
        },
      ),
    ]);
    run.settle('outer/steps/a', done({ at: 'a' }));
    run.settle('outer/steps/inner/steps/b', done({ at: 'b' }));
    run.send(cancel);
    run.drive();
    expect(cleaned(run)).toEqual([
      'outer/steps/inner/steps/b/compensate/undo_b',
      'outer/steps/inner/finally/g',
      'outer/steps/a/compensate/undo_a',
      'outer/finally/f',
    ]);
    expect(outputsOf(run)['outer/steps/inner/finally/g']).toEqual({ e: null });
    expect(kindsAndPaths(run.entries).slice(-3)).toEqual(['cancelled outer/steps/inner', 'cancelled outer', 'ended']);
  });

  it('continues finally blocks in progress', () => {
    const run = begun([attempt('safe', [step('a')], { finally: [step('f'), step('g')] }), step('z')]);
    run.settle('safe/steps/a', done());
    run.start('safe/finally/f');
    expect(kindsAndPaths(run.send(cancel))).toEqual(['closing']);
    expect(launched(run)).toEqual(['safe/finally/f']);
    run.drive();
    expect(cleaned(run)).toEqual(['safe/finally/f', 'safe/finally/g']);
    expect(run.state.ended?.status).toBe('cancelled');
  });

  it('with nothing to clean up ends at once', () => {
    const run = begun([attempt('safe', [step('a')], { catch: [step('c')] })]);
    expect(kindsAndPaths(run.send(cancel))).toEqual(['cancelled safe/steps/a', 'cancelled safe', 'ended']);
  });

  it('again during its cleanup keeps its end', () => {
    const run = begun([undoable('a'), step('b')]).drive({ answers: { a: done({ at: 1 }), b: failed() } });
    expect(run.state.ended?.status).toBe('failed');
    const other = begun([undoable('a'), step('b')]);
    other.settle('a', done({ at: 1 }));
    other.settle('b', failed());
    expect(kindsAndPaths(other.send(cancel))).toEqual([]);
    expect(other.drive().state.ended?.status).toBe('failed');
  });
});

describe('the time of a run', () => {
  it('that has passed lets it clean up', () => {
    const run = begun([undoable('a'), step('b')], { timeout: '10s' });
    run.settle('a', done({ at: 'a' }));
    run.start('b');
    expect(kindsAndPaths(run.pass())).toEqual(['closing', 'cancelled b']);
    expect(nextDue(run.facts, run.state)).toBe(T0 + 10_000 + MAX_CLEANUP_MS);
    run.drive();
    expect(run.state.ended).toMatchObject({ status: 'failed', error: { code: 'timed_out' } });
    expect(outputsOf(run)['a/compensate/undo_a']).toMatchObject({ why: 'timed_out' });
  });

  it('for cleanup is limited: the rest is cancelled', () => {
    const run = begun([undoable('a'), step('b', { compensate: [step('w')] }), step('c')]);
    run.settle('a', done());
    run.settle('b', done());
    run.settle('c', failed());
    run.start('b/compensate/w');
    expect(kindsAndPaths(run.pass())).toEqual(['cancelled b/compensate/w', 'ended']);
    expect(run.state.ended).toMatchObject({ status: 'failed', at: T0 + MAX_CLEANUP_MS });
  });
});

describe('a stop', () => {
  it('anywhere ends the run as completed, without cleanup', () => {
    const run = begun([
      undoable('a'),
      {
        id: 'both',
        type: 'parallel',
        branches: [
          { id: 'l', steps: [attempt('safe', [step('x')], { finally: [step('f')] })] },
          { id: 'r', steps: [step('y')] },
        ],
      },
    ]);
    run.settle('a', done());
    expect(kindsAndPaths(run.settle('both/branches.1/y', { kind: 'stop', output: { v: 1 } }))).toEqual([
      'completed both/branches.1/y',
      'cancelled both/branches.0/safe/steps/x',
      'cancelled both/branches.0/safe',
      'cancelled both',
      'ended',
    ]);
    expect(run.state.ended).toMatchObject({ status: 'completed', output: { v: 1 } });
  });

  it('by an error is not caught, and cleans up', () => {
    const run = begun([undoable('a'), attempt('safe', [step('x', { on_error: 'continue' })], { catch: [step('c')] })], {
      on_error: [step('mail')],
    });
    run.settle('a', done({ at: 'a' }));
    run.settle('safe/steps/x', { kind: 'stop', error: { code: 'halt', message: 'm' } });
    run.drive();
    expect(cleaned(run)).toEqual(['a/compensate/undo_a', '.on_error/mail']);
    expect(run.state.ended).toMatchObject({ status: 'failed', error: { code: 'halt', step_id: 'x' } });
  });

  it('during the cleanup of the run ends only its step', () => {
    const run = begun([undoable('a'), step('b', { compensate: [step('w')] }), step('c')], {
      on_error: [step('mail'), step('more')],
    });
    run.drive({
      answers: {
        c: failed(),
        'b/compensate/w': { kind: 'stop', error: { code: 'halt', message: 'm' } },
        '.on_error/mail': { kind: 'stop', output: {} },
      },
    });
    expect(cleaned(run)).toEqual(['b/compensate/w', 'a/compensate/undo_a', '.on_error/mail', '.on_error/more']);
    expect(run.state.ended?.error).toMatchObject({ step_id: 'c' });
  });
});

describe('a loop in a `finally` that waits for its turn', () => {
  const each = (id: string): Json => ({ id, type: 'foreach', config: { items: [0] }, steps: [step(`${id}_x`)] });
  const flightOf = (run: Bench, id: string): string => launched(run).find((path) => path.endsWith(`/${id}`)) as string;

  it('continues after a compensation with what has stopped in it before', () => {
    const safe = attempt('safe', [step('a', { compensate: [step('u')] })], { finally: [each('each'), step('z')] });
    const run = begun([safe]);
    run.settle('safe/steps/a', done());
    run.settle(flightOf(run, 'each_x'), { kind: 'stop', error: { code: 'halt', message: 'm' } });
    run.settle('safe/steps/a/compensate/u', failed());
    expect(run.state.ended).toMatchObject({ status: 'failed', error: { code: 'halt', step_id: 'each_x' } });
  });

  it('continues after the `finally` of another branch with what has ended in it meanwhile', () => {
    const branches = [
      { id: 'one', steps: [attempt('first', [step('a')], { finally: [each('each')] })] },
      { id: 'two', steps: [attempt('second', [step('b')], { finally: [step('z')] })] },
      { id: 'three', steps: [step('c')] },
    ];
    const run = begun([{ id: 'all', type: 'parallel', branches }]);
    for (const id of ['a', 'b']) run.settle(flightOf(run, id), done());
    run.settle(flightOf(run, 'c'), failed());
    run.settle(flightOf(run, 'each_x'), done());
    expect(launched(run)).toEqual([flightOf(run, 'z')]);
    run.settle(flightOf(run, 'z'), done());
    expect(run.state.ended).toMatchObject({ status: 'failed', error: { code: 'c', step_id: 'c' } });
  });

  it('continues with what has ended in it while the run was paused', () => {
    const branches = [
      { id: 'one', steps: [attempt('first', [step('a')], { finally: [each('each')] })] },
      { id: 'two', steps: [step('b')] },
    ];
    const run = begun([{ id: 'all', type: 'parallel', branches }]);
    run.settle(flightOf(run, 'a'), done());
    run.request('pause', 1);
    run.settle(flightOf(run, 'each_x'), done());
    run.settle(flightOf(run, 'b'), { kind: 'stop', error: { code: 'halt', message: 'm' } });
    expect(run.state.ended).toMatchObject({ status: 'failed', error: { code: 'halt', step_id: 'b' } });
  });
});

describe('a run that is paused and then cancelled', () => {
  const paused = (): Bench => {
    const run = begun([attempt('safe', [step('a')], { finally: [step('f')] })]);
    run.settle('safe/steps/a', done());
    run.request('pause', 1);
    return run;
  };

  it('goes on with a step of a `finally` whose awaited result came during the pause', () => {
    const run = paused();
    run.settle('safe/finally/f', { kind: 'noted', note: 'n', end: { ok: true, output: {} } });
    expect(launched(run)).toEqual([]);
    run.send(cancel);
    expect(launched(run)).toEqual(['safe/finally/f']);
  });

  it('begins an attempt of a `finally` that was held back by the pause', () => {
    const run = paused();
    run.hold('safe/finally/f');
    run.send(cancel);
    expect(launched(run)).toEqual(['safe/finally/f']);
  });
});
