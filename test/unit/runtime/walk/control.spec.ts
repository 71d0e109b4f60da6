import type { Json, JsonObject } from '../../../../lib/json';
import { CANCEL } from '../../../../runtime/core/state/state';
import { nextDue } from '../../../../runtime/core/decide/due';
import { waitingOf } from '../../../../runtime/core/decide/waiting';
import {
  type Bench,
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

const branch = (cases: JsonObject[], otherwise?: Json[]): Json => ({
  id: 'big',
  type: 'branch',
  cases,
  ...(otherwise === undefined ? {} : { else: otherwise }),
});
const parallel = (branches: Record<string, Json[]>, wait?: Json, more: JsonObject = {}): Json => ({
  id: 'both',
  type: 'parallel',
  branches: Object.entries(branches).map(([id, steps]) => ({ id, steps })),
  ...(wait === undefined ? {} : { wait }),
  ...more,
});
const attempt = (steps: Json[], more: JsonObject = {}): Json => ({ id: 'safe', type: 'try', steps, ...more });
const timer = (until: number) => ({ kind: 'wait', wait: { kind: 'timer', until, output: {} } }) as const;
const launched = (run: Bench): string[] => [...run.flights.keys()];
const begun = (steps: Json[], rest: JsonObject = {}): Bench => {
  const run = bench(steps, rest);
  run.tell({ kind: 'resume' });
  return run;
};

describe('a branch', () => {
  it('takes the first case whose condition holds, and outputs its index', () => {
    const run = begun([
      branch([
        { when: '{{ trigger.no }}', steps: [step('a')] },
        { when: true, steps: [step('b')] },
        { when: true, steps: [step('c')] },
      ]),
    ]);
    expect(launched(run)).toEqual(['big/cases.1/b']);
    run.play();
    expect(run.output).toEqual({ case: 1 });
  });

  it.each([
    ['runs what else is to be done when none holds', [step('e')], ['big/else/e']],
    ['is done when none holds and nothing else is to be done', [], []],
    ['is done when none holds and it says nothing of that', undefined, []],
  ] as [string, Json[] | undefined, string[]][])('%s', (_title, otherwise, flying) => {
    const run = begun([branch([{ when: false, steps: [step('a')] }], otherwise)]);
    expect(launched(run)).toEqual(flying);
    expect(run.play().output).toEqual({ case: 'else' });
  });

  it('keeps its choice when the condition changes', () => {
    const run = begun([set('x', { v: 1 }), branch([{ when: '{{ steps.x.v == 1 }}', steps: [set('a'), set('b')] }])]);
    run.settle('x', done({ v: 1 }));
    run.state.outputs.x = { v: 2 };
    run.settle('big/cases.0/a', done());
    expect(launched(run)).toEqual(['big/cases.0/b']);
  });

  it('whose condition cannot be evaluated fails like any step', () => {
    const run = begun([
      { ...(branch([{ when: '{{ 1 - "x" }}', steps: [step('a')] }]) as JsonObject), on_error: 'continue' },
      step('b'),
    ]);
    expect(run.state.outputs.big).toMatchObject({ error: { code: 'expression' } });
    expect(launched(run)).toEqual(['b']);
  });

  it('is skipped with all its steps', () => {
    const run = begun([{ ...(branch([{ when: true, steps: [step('a')] }]) as JsonObject), if: false }]);
    expect(kindsAndPaths(run.entries)).toEqual(['skipped big', 'ended']);
  });
});

describe('parallel branches', () => {
  it('run concurrently, each in its own order', () => {
    const run = begun([parallel({ l: [step('a'), step('b')], r: [step('c'), step('d')] }), step('z')]);
    expect(launched(run)).toEqual(['both/branches.0/a', 'both/branches.1/c']);
    run.settle('both/branches.1/c', done());
    expect(launched(run)).toEqual(['both/branches.0/a', 'both/branches.1/d']);
    run.settle('both/branches.1/d', done({ d: 1 }));
    run.settle('both/branches.0/a', done());
    expect(launched(run)).toEqual(['both/branches.0/b']);
    run.settle('both/branches.0/b', done({ b: 1 }));
    expect(run.state.outputs.both).toEqual({ branches: { l: { b: 1 }, r: { d: 1 } } });
    expect(launched(run)).toEqual(['z']);
  });

  it('without a completed step have the output null', () => {
    const run = begun([parallel({ l: [step('a', { if: false })], r: [step('b', { if: false })] })]);
    expect(run.output).toEqual({ branches: { l: null, r: null } });
  });

  it('wait until any is done: the others are cancelled, without outputs', () => {
    const run = begun([parallel({ l: [step('a')], m: [step('b'), step('c')], r: [step('d')] }, 'any')]);
    run.settle('both/branches.1/b', timer(T0 + 5_000));
    run.launched.length = 0;
    expect(kindsAndPaths(run.settle('both/branches.0/a', done({ v: 1 })))).toEqual([
      'completed both/branches.0/a',
      'cancelled both/branches.2/d',
      'cancelled both/branches.1/b',
      'completed both',
      'ended',
    ]);
    expect(run.launched).toEqual([{ kind: 'abort', path: 'both/branches.2/d' }]);
    expect(run.output).toEqual({ branches: { l: { v: 1 } } });
  });

  it('wait until enough branches are done, though others fail', () => {
    const run = begun([parallel({ l: [step('a')], m: [step('b')], r: [step('c')] }, 2)]);
    run.settle('both/branches.0/a', failed());
    run.settle('both/branches.1/b', done());
    expect(run.state.ended).toBeNull();
    run.settle('both/branches.2/c', done());
    expect(run.state.ended).toMatchObject({ status: 'completed', output: { branches: { m: {}, r: {} } } });
  });

  it.each([
    ['all', undefined, 0, 'a'],
    ['so many', 2, 1, 'b'],
    ['any', 'any', 2, 'c'],
  ] as [string, Json, number, string][])(
    'that wait until %s are done fail at the failure that leaves too few',
    (_title, wait, last, failedStep) => {
      const run = begun([parallel({ l: [step('a')], m: [step('b')], r: [step('c')] }, wait)]);
      for (const [index, id] of ['a', 'b', 'c'].entries()) {
        expect(run.state.ended).toBeNull();
        run.now += 1;
        run.settle(`both/branches.${index}/${id}`, failed({ error: { code: id, message: 'm' } }));
        if (index === last) break;
      }
      expect(run.state.ended).toMatchObject({ status: 'failed', error: { code: failedStep, step_id: failedStep } });
    },
  );

  it('that are too few fail with the last failure, in any order', () => {
    const run = begun([parallel({ l: [step('a')], m: [step('b')], r: [step('c')] }, 2)]);
    run.settle('both/branches.2/c', failed({ error: { code: 'first', message: 'm' } }));
    run.now += 1;
    run.settle('both/branches.0/a', failed({ error: { code: 'second', message: 'm' } }));
    expect(run.state.ended?.error).toMatchObject({ code: 'second', step_id: 'a' });
  });
});

describe('a try', () => {
  it('whose steps succeed does not run its catch', () => {
    const run = begun([attempt([step('a')], { catch: [step('c')] })]).play();
    expect(run.output).toEqual({ failed: false, error: null });
    expect(Object.keys(outputsOf(run))).toEqual(['safe/steps/a', 'safe']);
  });

  it('whose steps fail runs its catch, and completes', () => {
    const run = begun([
      attempt([step('a'), step('b')], { catch: [set('c', { why: '{{ error.code }}', who: '{{ error.step_id }}' })] }),
      step('z'),
    ]).drive({ answers: { 'safe/steps/a': failed() } });
    expect(outputsOf(run)).toMatchObject({
      'safe/catch/c': { why: 'c', who: 'a' },
      safe: { failed: true, error: { step_id: 'a', type: 'effect', code: 'c', message: 'm' } },
    });
    expect(outputsOf(run)).not.toHaveProperty('safe/steps/b');
    expect(run.state.ended?.status).toBe('completed');
  });

  it('without a catch fails as its steps do, after its finally', () => {
    const run = begun([attempt([step('a')], { finally: [set('f', { e: '{{ error }}' })] })]);
    run.play({ answers: { 'safe/steps/a': failed() } });
    expect(outputsOf(run)['safe/finally/f']).toEqual({
      e: { step_id: 'a', type: 'effect', code: 'c', message: 'm' },
    });
    expect(run.state.ended).toMatchObject({ status: 'failed', error: { step_id: 'a' } });
  });

  it('runs its finally without a failure too', () => {
    const run = begun([attempt([step('a')], { finally: [set('f', { e: '{{ error }}' })] })]).play();
    expect(outputsOf(run)['safe/finally/f']).toEqual({ e: null });
  });

  it('whose catch fails fails with that error, after its finally', () => {
    const run = begun([attempt([step('a')], { catch: [step('c')], finally: [set('f', { e: '{{ error.code }}' })] })]);
    run.play({ answers: { 'safe/steps/a': failed(), 'safe/catch/c': failed({ error: { code: 'd', message: 'm' } }) } });
    expect(outputsOf(run)['safe/finally/f']).toEqual({ e: 'd' });
    expect(run.state.ended?.error).toMatchObject({ code: 'd', step_id: 'c' });
  });

  it.each([
    ['its steps had failed, too', { 'safe/steps/a': failed() }],
    ['all had gone well', {}],
  ])('whose finally fails fails with that error, when %s', (_title, answers) => {
    const run = begun([attempt([step('a')], { finally: [step('f')] })]);
    run.play({ answers: { ...answers, 'safe/finally/f': failed({ error: { code: 'f', message: 'm' } }) } });
    expect(run.state.ended?.error).toMatchObject({ code: 'f', step_id: 'f' });
  });

  it('with an empty catch ignores the error', () => {
    const run = begun([attempt([step('a')], { catch: [] })]).play({ answers: { 'safe/steps/a': failed() } });
    expect(run.output).toMatchObject({ failed: true });
  });

  it('names the innermost failed step, through all containers', () => {
    const run = begun([attempt([parallel({ l: [attempt([step('deep')])], r: [step('x')] })], { catch: [step('c')] })]);
    run.drive({ answers: { 'safe/steps/both/branches.0/safe/steps/deep': failed() } });
    expect(run.output).toMatchObject({ error: { step_id: 'deep' } });
    expect(run.entries.find((entry) => entry.kind === 'step.failed' && entry.path === 'safe/steps/both')).toMatchObject(
      {
        culprit: 'safe/steps/both/branches.0/safe/steps/deep',
        retryAt: null,
      },
    );
  });
});

describe('steps with needs', () => {
  const diamond = [
    step('top'),
    step('left', { needs: ['top'] }),
    step('right', { needs: ['top'] }),
    step('bottom', { needs: ['left', 'right'] }),
  ];

  it('start as soon as their needs are done, concurrently', () => {
    const run = begun(diamond);
    expect(launched(run)).toEqual(['top']);
    run.settle('top', done());
    expect(launched(run)).toEqual(['left', 'right']);
    run.settle('right', done());
    expect(launched(run)).toEqual(['left']);
    run.settle('left', done());
    expect(launched(run)).toEqual(['bottom']);
  });

  it('run before earlier steps that need them', () => {
    const run = begun([step('last', { needs: ['first'] }), step('first', { needs: [] })]);
    expect(launched(run)).toEqual(['first']);
    run.settle('first', done());
    expect(launched(run)).toEqual(['last']);
  });

  it('run when their need was skipped, or failed and the run continues', () => {
    const run = begun([
      step('a', { if: false, needs: [] }),
      step('b', { needs: [], on_error: 'continue' }),
      step('c', { needs: ['a', 'b'] }),
    ]);
    run.settle('b', failed());
    expect(launched(run)).toEqual(['c']);
  });

  it('that fail cancel concurrent steps', () => {
    const run = begun(diamond);
    run.settle('top', done());
    run.start('left');
    expect(kindsAndPaths(run.settle('right', failed()))).toEqual(['failed right', 'cancelled left', 'ended']);
    expect(run.flights.size).toBe(0);
  });

  it('that fail inside of a container cancel concurrent steps in it only', () => {
    const run = begun([
      parallel({
        l: [attempt([step('a', { needs: [] }), step('b', { needs: [] })], { catch: [step('c')] })],
        r: [step('x')],
      }),
    ]);
    expect(kindsAndPaths(run.settle('both/branches.0/safe/steps/a', failed()))).toEqual([
      'failed both/branches.0/safe/steps/a',
      'cancelled both/branches.0/safe/steps/b',
    ]);
    expect(launched(run)).toEqual(['both/branches.1/x', 'both/branches.0/safe/catch/c']);
  });
});

describe('steps for a failed step', () => {
  const handled = (steps: Json[]): Json[] => [step('a', { on_error: steps }), step('b')];

  it('run with its error, and the run continues', () => {
    const run = begun(handled([set('h', { e: '{{ error }}' }), step('i')]));
    run.drive({ answers: { a: failed() } });
    expect(outputsOf(run)['a/on_error/h']).toEqual({ e: { step_id: 'a', type: 'effect', code: 'c', message: 'm' } });
    expect(Object.keys(outputsOf(run))).toEqual(['a/on_error/h', 'a/on_error/i', 'b']);
    expect(run.state.ended?.status).toBe('completed');
  });

  it('that fail make it fail', () => {
    const run = begun(handled([step('h')])).drive({
      answers: { a: failed(), 'a/on_error/h': failed({ error: { code: 'd', message: 'm' } }) },
    });
    expect(run.state.ended?.error).toMatchObject({ code: 'd', step_id: 'h' });
  });

  it('do not run when a retry succeeds', () => {
    const run = begun([step('a', { on_error: [step('h')], retry: { max_attempts: 2 } })]);
    run.play({ answers: { a: (n) => (n === 1 ? failed({ retryable: true }) : done()) } });
    expect(Object.keys(outputsOf(run))).toEqual(['a']);
  });

  it('see the error of the innermost failed step', () => {
    const run = begun([
      { ...(attempt([step('deep')]) as JsonObject), on_error: [set('h', { who: '{{ error.step_id }}' })] },
    ]).drive({ answers: { 'safe/steps/deep': failed() } });
    expect(outputsOf(run)['safe/on_error/h']).toEqual({ who: 'deep' });
  });
});

describe('the timeout of a container step', () => {
  it('cancels its steps in progress, and fails it', () => {
    const run = begun([
      { ...(attempt([step('a'), step('b')]) as JsonObject), timeout: '10s', on_error: 'continue' },
      step('z'),
    ]);
    run.now += 9_999;
    run.settle('safe/steps/a', timer(T0 + 60_000));
    expect(run.pass()).toMatchObject([
      { kind: 'step.cancelled', path: 'safe/steps/a' },
      { kind: 'step.failed', path: 'safe', error: { code: 'timed_out' }, started: T0, at: T0 + 10_000 },
    ]);
    expect(launched(run)).toEqual(['z']);
  });

  it('leaves time for its finally', () => {
    const run = begun([
      { ...(attempt([step('a')], { finally: [step('f')] }) as JsonObject), timeout: '10s', on_error: 'continue' },
    ]);
    run.start('safe/steps/a');
    expect(kindsAndPaths(run.pass())).toEqual(['cancelled safe/steps/a']);
    expect(launched(run)).toEqual(['safe/finally/f']);
    expect(run.tell({ kind: 'due' })).toEqual([]);
    expect(nextDue(run.facts, run.state)).toBeNull();
    expect(kindsAndPaths(run.settle('safe/finally/f', done()))).toEqual([
      'completed safe/finally/f',
      'failed safe',
      'ended',
    ]);
  });
});

describe('a cancelled try', () => {
  it('runs its finally before its container continues', () => {
    const run = begun([
      parallel({ l: [attempt([step('a')], { finally: [step('f')] }), step('never')], r: [step('b')] }, 'any'),
      step('z'),
    ]);
    expect(kindsAndPaths(run.settle('both/branches.1/b', done()))).toEqual([
      'completed both/branches.1/b',
      'cancelled both/branches.0/safe/steps/a',
    ]);
    expect(launched(run)).toEqual(['both/branches.0/safe/finally/f']);
    expect(kindsAndPaths(run.settle('both/branches.0/safe/finally/f', done()))).toEqual([
      'completed both/branches.0/safe/finally/f',
      'cancelled both/branches.0/safe',
      'completed both',
    ]);
    expect(launched(run)).toEqual(['z']);
  });

  it('runs the finally of a try inside of a finally', () => {
    const inner = { id: 'inner', type: 'try', steps: [step('g')], finally: [step('h')] };
    const run = begun([parallel({ l: [attempt([step('a')], { finally: [inner] })], r: [step('b')] }, 'any')]);
    run.settle('both/branches.1/b', done());
    expect(launched(run)).toEqual(['both/branches.0/safe/finally/inner/steps/g']);
    expect(run.tell({ kind: 'due' })).toEqual([]);
    run.send(mail(CANCEL, CANCEL));
    expect(launched(run)).toEqual(['both/branches.0/safe/finally/inner/steps/g']);
    run.settle('both/branches.0/safe/finally/inner/steps/g', done());
    expect(launched(run)).toEqual(['both/branches.0/safe/finally/inner/finally/h']);
    run.settle('both/branches.0/safe/finally/inner/finally/h', done());
    expect(run.state.ended?.status).toBe('cancelled');
  });

  it('runs the innermost and latest finally first, whether or not it fails', () => {
    const run = begun([
      parallel(
        {
          l: [
            {
              id: 'outer',
              type: 'try',
              steps: [{ id: 'inner', type: 'try', steps: [step('a')], finally: [step('g')] }],
              finally: [step('f')],
            },
          ],
          r: [step('b')],
        },
        'any',
      ),
    ]);
    run.settle('both/branches.1/b', done());
    expect(launched(run)).toEqual(['both/branches.0/outer/steps/inner/finally/g']);
    run.settle('both/branches.0/outer/steps/inner/finally/g', failed());
    expect(launched(run)).toEqual(['both/branches.0/outer/finally/f']);
    run.settle('both/branches.0/outer/finally/f', done());
    expect(run.output).toMatchObject({ branches: { r: {} } });
    expect([run.state.open.size, waitingOf(run.state)]).toEqual([0, []]);
  });
});
