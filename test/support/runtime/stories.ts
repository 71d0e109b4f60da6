import type { Json, JsonObject } from '../../../lib/json';
import type { OnInterrupted } from '../../../nodes/contract';
import type { AttemptResult } from '../../../runtime/core/decide/event';
import { CANCEL } from '../../../runtime/core/state/state';
import { type Bench, done, failed, mail, type Script, set, step } from './bench';

/** A run with control flow that plays to its end, whatever happens to its hosts. */
export interface Story {
  readonly title: string;
  readonly steps: Json[];
  readonly rest?: JsonObject;
  readonly script?: Script;
  readonly word?: OnInterrupted;
}

const waits = (until: number, note?: string): AttemptResult => ({
  kind: 'wait',
  wait: { kind: 'timer', until, output: {} },
  ...(note === undefined ? {} : { note }),
});
const asks: AttemptResult = {
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
const undoable = (id: string, more: JsonObject = {}): Json =>
  step(id, { compensate: [step(`un${id}`), set(`${id}_undone`, { v: `{{ steps.${id} }}` })], ...more });
const parallel = (id: string, branches: Record<string, Json[]>, more: JsonObject = {}): Json => ({
  id,
  type: 'parallel',
  branches: Object.entries(branches).map(([name, steps]) => ({ id: name, steps })),
  ...more,
});
const foreach = (id: string, items: Json, steps: Json[], config: JsonObject = {}, more: JsonObject = {}): Json => ({
  id,
  type: 'foreach',
  config: { items, ...config },
  steps,
  ...more,
});
const loop = (id: string, condition: string, steps: Json[], more: JsonObject = {}): Json => ({
  id,
  type: 'while',
  config: { condition },
  steps,
  ...more,
});
const attempt = (id: string, steps: Json[], more: JsonObject = {}): Json => ({ id, type: 'try', steps, ...more });
const branch = (id: string, when: string, steps: Json[], otherwise: Json[]): Json => ({
  id,
  type: 'branch',
  cases: [{ when, steps }],
  else: otherwise,
});
const retry = { max_attempts: 3, initial_interval: '5s', jitter: 0 };

const EVERYTHING: Json[] = [
  set('start', { list: [1, 2, 3] }),
  foreach(
    'each',
    '{{ steps.start.list }}',
    [
      branch('odd', '{{ loop.item % 2 == 1 }}', [step('a', { retry })], [set('b', { v: '{{ loop.item }}' })]),
      loop('turns', '{{ loop.index < loop.parent.item }}', [
        attempt('safe', [step('c')], { catch: [set('d', { e: '{{ error.code }}' })], finally: [step('e')] }),
      ]),
      set('sum', { n: '{{ steps.turns.iterations }}' }),
    ],
    { concurrency: 2 },
  ),
  parallel('both', {
    l: [step('f', { needs: [] }), step('g', { needs: ['f'] }), step('h', { needs: ['f'] })],
    r: [foreach('inner', ['x'], [step('i')])],
  }),
  set('end', { sums: '{{ steps.each.results }}', both: '{{ steps.both.branches.r }}' }),
];

/** What `unit` tests play through at every decision, and others use to look at hosts. */
export const STORIES: readonly Story[] = [
  { title: 'three levels of everything', steps: EVERYTHING },
  {
    title: 'three levels of everything, with failures and retries',
    steps: EVERYTHING,
    script: {
      intends: true,
      answers: {
        'each/steps[0]/odd/cases.0/a': (n) => (n < 3 ? failed({ retryable: true }) : done({ n })),
        'each/steps[2]/turns/steps.1/safe/steps/c': failed(),
        'each/steps[1]/turns/steps.0/safe/steps/c': failed(),
      },
    },
  },
  {
    title: 'waits and pauses in many items at once',
    steps: [
      foreach('each', [1, 2, 3, 4], [step('a', { retry }), step('b')], { concurrency: 3 }),
      set('end', { n: '{{ steps.each.count }}' }),
    ],
    script: {
      answers: {
        'each/steps[0]/a': (n) => (n === 1 ? failed({ retryable: true }) : done()),
        'each/steps[1]/a': (_, now) => waits(now + 3_000),
        'each/steps[2]/b': (_, now) => waits(now + 8_000),
        'each/steps[3]/a': (n) => (n < 3 ? failed({ retryable: true }) : done()),
      },
    },
  },
  {
    title: 'approvals in loops',
    steps: [foreach('each', ['x', 'y'], [loop('twice', '{{ loop.index < 2 }}', [step('ask')])], { concurrency: 2 })],
    script: {
      answers: Object.fromEntries(
        [0, 1].flatMap((item) => [0, 1].map((turn) => [`each/steps[${item}]/twice/steps.${turn}/ask`, asks])),
      ),
      replies: {
        'approve-ask.1.0': { approved: true },
        'approve-ask.0.0': { approved: false },
        'approve-ask.0.1': { approved: true },
        'approve-ask.1.1': { approved: false },
      },
    },
  },
  {
    title: 'a race that cuts off a try',
    steps: [
      parallel(
        'race',
        { l: [attempt('slow', [step('a')], { finally: [step('b'), step('c')] })], r: [step('d'), step('e')] },
        { wait: 'any' },
      ),
      step('end'),
    ],
    script: { answers: { 'race/branches.0/slow/steps/a': (_, now) => waits(now + 60_000) } },
  },
  {
    title: 'two of three, of which one fails',
    steps: [parallel('some', { l: [step('a')], m: [step('b')], r: [step('c'), step('d')] }, { wait: 2 }), step('end')],
    script: { answers: { 'some/branches.0/a': failed() } },
  },
  {
    title: 'compensation after a failure',
    steps: [
      undoable('a'),
      foreach('each', [1, 2], [undoable('b'), attempt('safe', [undoable('c')], { finally: [step('f')] })]),
      loop('twice', '{{ loop.index < 2 }}', [undoable('d')]),
      parallel('both', { l: [undoable('e'), step('bad')], r: [attempt('cut', [step('g')], { finally: [step('h')] })] }),
    ],
    rest: { on_error: [step('tell'), foreach('all', [1, 2], [step('more')])] },
    script: {
      answers: {
        'both/branches.0/bad': failed(),
        'both/branches.1/cut/steps/g': (_, now) => waits(now + 90_000),
        'each/steps[1]/b/compensate/unb': failed(),
      },
    },
  },
  {
    title: 'compensation after a cancellation',
    steps: [
      undoable('a', { needs: [] }),
      attempt('safe', [undoable('b'), step('w')], { finally: [step('f')] }),
      step('c'),
    ],
    script: {
      answers: { 'safe/steps/w': asks },
      when: [{ is: (run) => run.state.open.has('safe/steps/w'), mail: mail(CANCEL, CANCEL) }],
    },
  },
  {
    title: 'steps for errors, inside and around',
    steps: [
      step('a', { on_error: [step('b'), attempt('safe', [step('c')], { catch: [step('d')] })] }),
      attempt('t', [step('e', { on_error: [step('f')] })], { catch: [set('g', { e: '{{ error }}' })] }),
    ],
    script: {
      answers: {
        a: failed(),
        'a/on_error/safe/steps/c': failed(),
        't/steps/e': failed(),
        't/steps/e/on_error/f': failed(),
      },
    },
  },
  {
    title: 'a time-out of a loop, which is survived',
    steps: [
      foreach('each', [1, 2, 3], [step('a')], { concurrency: 2 }, { timeout: '30s', on_error: 'continue' }),
      step('end'),
    ],
    script: { answers: { 'each/steps[1]/a': (_, now) => waits(now + 60_000) } },
  },
  {
    title: 'a deadline that comes in the middle of a loop',
    steps: [undoable('a'), foreach('each', [1, 2], [step('b')], { concurrency: 2 })],
    rest: { timeout: '20s' },
    script: { answers: { 'each/steps[0]/b': (_, now) => waits(now + 60_000) } },
  },
  {
    title: 'a stop in the middle of parallel branches',
    steps: [undoable('a'), parallel('both', { l: [step('b')], r: [step('c')] })],
    script: {
      answers: {
        'both/branches.0/b': (_, now) => waits(now + 60_000),
        'both/branches.1/c': { kind: 'stop', output: { v: 1 } },
      },
    },
  },
  {
    title: 'a failure for the whole run in the middle of a try',
    steps: [undoable('a'), attempt('safe', [step('b')], { catch: [step('c')], finally: [step('f')] })],
    rest: { on_error: [step('tell')] },
    script: { answers: { 'safe/steps/b': { kind: 'stop', error: { code: 'halt', message: 'm' } } } },
  },
  {
    title: 'steps that must not be interrupted, everywhere',
    steps: [
      foreach('each', [1, 2], [step('a', { on_error: 'continue' })], { concurrency: 2 }),
      attempt('safe', [step('b')], { catch: [step('c')], finally: [step('f', { on_error: 'continue' })] }),
    ],
    script: { intends: true },
    word: 'retry',
  },
  {
    title: 'a step that notes its parts, waits, and goes on',
    steps: [foreach('each', [1, 2], [step('agent'), step('b')], { concurrency: 2 })],
    script: {
      answers: {
        'each/steps[0]/agent': (n, now) =>
          n === 1 ? waits(now + 5_000, 'first') : n === 2 ? { ...asks, note: 'second' } : done({ v: 1 }),
      },
      replies: { 'approve-agent.0#2': { approved: true } },
    },
  },
];

/** What must not differ between two runs of a story: its end, and what its steps put out. */
export const endOf = (run: Bench): JsonObject => {
  const { status, output, error } = run.state.ended ?? { status: 'open', output: null, error: null };
  return { status, output, error: error === null ? null : { ...error } };
};
