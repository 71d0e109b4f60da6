import fc from 'fast-check';
import type { PreparedPlan } from '../../../dsl';
import type { Json, JsonObject } from '../../../lib/json';
import type { OnInterrupted } from '../../../nodes/contract';
import type { Entry } from '../../../runtime/core/entries/entry';
import { stepIdOf } from '../../../dsl';
import { apply, replay } from '../../../runtime/core/state/fold';
import { emptyState, type Message, type RunState } from '../../../runtime/core/state/state';
import { decide } from '../../../runtime/core/decide/decide';
import { nextDue } from '../../../runtime/core/decide/due';
import type { RunEvent, AttemptResult } from '../../../runtime/core/decide/event';
import type { RunContext } from '../../../runtime/core/state/run-context';
import type { Command } from '../../../runtime/core/decide/decision-builder';
import { waitingOf } from '../../../runtime/core/decide/waiting';
import { CANCEL } from '../../../runtime/core/decide/waits';
import { World } from '../../support/runtime/world';

const T0 = Date.UTC(2030, 0, 1);
const world = new World();

const facts = (plan: PreparedPlan, more: Partial<RunContext> = {}): RunContext => ({
  id: 'run',
  workflowId: 'workflow',
  startedAt: T0,
  deadlineAt: null,
  env: 'dev',
  trigger: {},
  plan,
  vars: {},
  stepLink: (step, decision) => `${step}/${decision}`,
  ...more,
});

/** A run under rules, without a shell: the test settles what was launched. */
class Bench {
  state: RunState = emptyState();
  readonly entries: Entry[] = [];
  now = T0;
  readonly launched: Command[] = [];

  constructor(
    readonly facts: RunContext,
    readonly interruption: OnInterrupted = 'retry',
  ) {}

  tell(event: RunEvent): Entry[] {
    const at = { now: this.now, random: (bytes: number) => new Uint8Array(bytes).fill(128) };
    const { entries, commands } = decide(
      { context: this.facts, recoveryPolicy: () => this.interruption },
      this.state,
      event,
      at,
    );
    this.entries.push(...entries);
    this.launched.push(...commands);
    return entries;
  }

  settle(path: string, outcome: AttemptResult, attempt = 1): Entry[] {
    return this.tell({ kind: 'result', path, attempt, started: this.now, outcome, input: { in: 1 } });
  }

  /** What the shell does in front of an effect. */
  start(path: string, attempt = 1): void {
    const entry: Entry = { kind: 'step.started', path, attempt, at: this.now, input: {} };
    apply(this.state, entry);
    this.entries.push(entry);
  }

  /** What is left of the run when its host has died, as the next owner sees it. */
  crash(): void {
    this.state = replay(this.entries);
  }
}

const bench = (steps: Json[], rest: JsonObject = {}, more: Partial<RunContext> = {}, interruption?: OnInterrupted) =>
  new Bench(facts(world.plan(steps, rest), more), interruption);
const step = (id: string, more: JsonObject = {}): Json => ({ id, type: 'effect', config: {}, ...more });
const mail = (id: string, name: string, at = T0, data: JsonObject = {}): Message => ({ id, name, data, by: 'ann', at });
const done = (output: JsonObject = {}): AttemptResult => ({ kind: 'done', output });
const failed = (more: object = {}): AttemptResult =>
  ({ kind: 'fail', error: { code: 'c', message: 'm' }, retryable: true, ...more }) as AttemptResult;
const kinds = (entries: readonly Entry[]): string[] => entries.map((entry) => entry.kind);

describe('the first decision', () => {
  it('launches only the first step', () => {
    const run = bench([step('a'), step('b')]);
    expect(run.tell({ kind: 'resume' })).toEqual([]);
    expect(run.launched).toEqual([{ kind: 'run', path: 'a', attempt: 1 }]);
  });

  it('of a run whose steps are all skipped ends it', () => {
    const run = bench([step('a', { if: false }), step('b', { if: '{{ trigger.nothing }}' })]);
    expect(kinds(run.tell({ kind: 'resume' }))).toEqual(['step.skipped', 'step.skipped', 'run.ended']);
    expect(run.state.ended).toMatchObject({ status: 'completed', output: null });
  });
});

describe('a step that ends', () => {
  it('is recorded with its input unless the intent has it', () => {
    const run = bench([step('a'), step('b')]);
    run.tell({ kind: 'resume' });
    expect(run.settle('a', done({ v: 1 }))[0]).toEqual({
      kind: 'step.completed',
      path: 'a',
      attempt: 1,
      at: T0,
      started: T0,
      input: { in: 1 },
      output: { v: 1 },
    });
    run.start('b');
    expect(run.settle('b', done())[0]).not.toHaveProperty('input');
    expect(run.state.ended).toMatchObject({ status: 'completed', output: {} });
  });

  it('that is not in flight changes nothing', () => {
    const run = bench([step('a')]);
    expect(run.settle('a', done())).toEqual([]);
    run.tell({ kind: 'resume' });
    run.settle('a', done());
    expect(run.settle('a', done())).toEqual([]);
    expect(run.tell({ kind: 'messages', messages: [mail('m', CANCEL)] })).toEqual([]);
  });

  it('with a failure is retried by its policy, and then fails the run', () => {
    const run = bench([
      step('a', { retry: { max_attempts: 3, initial_interval: '10s', backoff: 'fixed', jitter: 0 } }),
    ]);
    run.tell({ kind: 'resume' });
    expect(run.settle('a', failed())).toMatchObject([{ kind: 'step.failed', retryAt: T0 + 10_000 }]);
    expect(nextDue(run.facts, run.state)).toBe(T0 + 10_000);
    run.now += 9_999;
    expect(run.tell({ kind: 'due' })).toEqual([]);
    expect(run.launched).toHaveLength(1);
    run.now += 1;
    run.tell({ kind: 'due' });
    run.tell({ kind: 'due' });
    expect(run.launched.slice(1)).toEqual([{ kind: 'run', path: 'a', attempt: 2 }]);
    run.settle('a', failed({ retryAfterMs: 60_000 }), 2);
    expect(nextDue(run.facts, run.state)).toBe(run.now + 60_000);
    run.now += 60_000;
    run.tell({ kind: 'due' });
    expect(kinds(run.settle('a', failed(), 3))).toEqual(['step.failed', 'run.ended']);
    expect(run.state.ended).toMatchObject({ status: 'failed', error: { code: 'c', message: 'm', step_id: 'a' } });
  });

  it('with a permanent failure is not retried, and the run may continue', () => {
    const run = bench([step('a', { retry: { max_attempts: 3 }, on_error: 'continue' }), step('b')]);
    run.tell({ kind: 'resume' });
    expect(run.settle('a', failed({ retryable: false }))).toMatchObject([{ retryAt: null }]);
    expect(run.launched.at(-1)).toEqual({ kind: 'run', path: 'b', attempt: 1 });
    expect(run.state.outputs.a).toEqual({ error: { code: 'c', message: 'm' } });
  });

  it.each([
    [
      { kind: 'stop', output: { v: 1 } },
      ['step.completed', 'run.ended'],
      { status: 'completed', output: { v: 1 }, error: null },
    ],
    [
      { kind: 'stop', error: { code: 'c', message: 'm' } },
      ['step.failed', 'run.ended'],
      { status: 'failed', output: null, error: { code: 'c', message: 'm', step_id: 'a' } },
    ],
  ] as [AttemptResult, string[], object][])(
    'by a stop ends the run, whatever its policies say: %j',
    (outcome, wanted, end) => {
      const run = bench([step('a', { on_error: 'continue', retry: { max_attempts: 5 } }), step('b')]);
      run.tell({ kind: 'resume' });
      expect(kinds(run.settle('a', outcome))).toEqual(wanted);
      expect(run.state.ended).toMatchObject(end);
    },
  );
});

describe('a condition or an output that cannot be evaluated', () => {
  it('fails its step, and the run', () => {
    const run = bench([step('a', { if: '{{ 1 - "x" }}' })]);
    expect(kinds(run.tell({ kind: 'resume' }))).toEqual(['step.failed', 'run.ended']);
    expect(run.state.ended?.error).toMatchObject({ code: 'expression', step_id: 'a' });
  });

  it('lets the run continue if the step allows it', () => {
    const run = bench([step('a', { if: '{{ 1 - "x" }}', on_error: 'continue' }), step('b')]);
    run.tell({ kind: 'resume' });
    expect(run.launched).toEqual([{ kind: 'run', path: 'b', attempt: 1 }]);
  });

  it('of the run itself has no failed step', () => {
    const run = bench([step('a')], { output: { v: '{{ steps.a.nothing.more }}' } });
    run.tell({ kind: 'resume' });
    run.settle('a', done());
    expect(run.state.ended).toMatchObject({ status: 'failed', error: { code: 'expression', step_id: null } });
  });
});

describe('a wait', () => {
  const timer = (until: number): AttemptResult => ({
    kind: 'wait',
    wait: { kind: 'timer', until, output: { late: false } },
  });
  const forSignal = (
    until: number | null,
    onTimeout: object = { kind: 'complete', output: { late: true } },
  ): AttemptResult => ({ kind: 'wait', wait: { kind: 'signal', signal: 'go', until, onTimeout } }) as AttemptResult;
  const forApproval: AttemptResult = {
    kind: 'wait',
    wait: {
      kind: 'approval',
      message: '?',
      approvers: ['x'],
      form: { f: 1 },
      until: null,
      onTimeout: { kind: 'complete', output: {} },
    },
  };

  it('ends at its time, not before', () => {
    const run = bench([step('a')]);
    run.tell({ kind: 'resume' });
    run.settle('a', timer(T0 + 5));
    expect(waitingOf(run.state)).toEqual([{ step_id: 'a', kind: 'timer', name: null, since: T0, until: T0 + 5 }]);
    run.now += 4;
    expect(run.tell({ kind: 'due' })).toEqual([]);
    run.now += 1;
    expect(run.tell({ kind: 'due' })).toMatchObject([
      { kind: 'step.completed', output: { late: false }, started: T0 },
      { kind: 'run.ended' },
    ]);
  });

  it('for a signal consumes the first one once, and names it', () => {
    const run = bench([step('a'), step('b')]);
    run.tell({ kind: 'resume' });
    run.tell({
      kind: 'messages',
      messages: [mail('2', 'go', T0 + 2, { n: 2 }), mail('1', 'go', T0 + 1, { n: 1 }), mail('0', 'other')],
    });
    run.tell({ kind: 'messages', messages: [mail('1', 'go', T0 + 1, { n: 1 })] });
    run.settle('a', forSignal(null));
    run.settle('b', forSignal(null));
    expect([run.state.outputs.a, run.state.outputs.b]).toEqual([{ n: 1 }, { n: 2 }]);
    expect(run.state.consumedMessageIds).toEqual(new Set(['1', '2']));
    run.crash();
    expect(run.state.consumedMessageIds).toEqual(new Set(['1', '2']));
  });

  it('that is due and answered at once is answered', () => {
    const run = bench([step('a')]);
    run.tell({ kind: 'resume' });
    run.settle('a', forSignal(T0 + 5));
    run.now += 10;
    expect(run.tell({ kind: 'messages', messages: [mail('m', 'go', T0, { n: 1 })] })[0]).toMatchObject({
      output: { n: 1 },
      mail: 'm',
    });
  });

  it.each([
    [{ kind: 'complete', output: { late: true } }, 'completed'],
    [{ kind: 'fail', error: { code: 'late', message: 'm' } }, 'failed'],
  ])('that times out continues as configured: %j', (onTimeout, status) => {
    const run = bench([step('a', { retry: { max_attempts: 3 } })]);
    run.tell({ kind: 'resume' });
    run.settle('a', forSignal(T0 + 5, onTimeout));
    run.now += 5;
    run.tell({ kind: 'due' });
    expect(run.state.ended?.status).toBe(status);
  });

  it('for an approval outputs the decision', () => {
    const run = bench([step('a')]);
    run.tell({ kind: 'resume' });
    run.settle('a', forApproval);
    expect(waitingOf(run.state)).toEqual([
      {
        step_id: 'a',
        kind: 'approval',
        name: 'approve-a',
        since: T0,
        until: null,
        message: '?',
        approvers: ['x'],
        form: { f: 1 },
      },
    ]);
    run.tell({ kind: 'messages', messages: [mail('m', 'approve-a', T0 + 7, { approved: 'yes', comment: 5 })] });
    expect(run.state.outputs.a).toEqual({
      approved: false,
      comment: null,
      decided_by: 'ann',
      decided_at: new Date(T0 + 7).toISOString(),
      form: null,
    });
  });

  it('does not list running steps, but lists retries', () => {
    const run = bench([step('a', { retry: { max_attempts: 2, initial_interval: '5s', jitter: 0 } })]);
    run.tell({ kind: 'resume' });
    run.start('a');
    expect([waitingOf(run.state), nextDue(run.facts, run.state)]).toEqual([[], null]);
    run.settle('a', failed());
    expect(waitingOf(run.state)).toEqual([{ step_id: 'a', kind: 'retry', name: null, since: T0, until: T0 + 5_000 }]);
  });
});

describe('an interruption', () => {
  const interrupted = (word: OnInterrupted) => {
    const run = bench([step('a'), step('b')], {}, {}, word);
    run.tell({ kind: 'resume' });
    run.start('a');
    run.crash();
    run.launched.length = 0;
    return { run, entries: run.tell({ kind: 'resume' }) };
  };

  it('is followed by the next attempt, and is not a failure', () => {
    const { run } = interrupted('retry');
    expect(run.launched).toEqual([{ kind: 'run', path: 'a', attempt: 2 }]);
  });

  it('fails a step that must not run twice', () => {
    expect(kinds(interrupted('fail').entries)).toEqual(['step.failed', 'run.ended']);
  });

  it('asks a person if required; an approval runs it again, also after another crash', () => {
    const { run } = interrupted('ask');
    expect(waitingOf(run.state)).toMatchObject([{ kind: 'approval', name: 'approve-a#1' }]);
    run.tell({ kind: 'messages', messages: [mail('m', 'approve-a', T0, { approved: true })] });
    expect(run.launched).toEqual([]);
    expect(kinds(run.tell({ kind: 'messages', messages: [mail('n', 'approve-a#1', T0, { approved: true })] }))).toEqual(
      ['step.resumed'],
    );
    expect(run.launched).toEqual([{ kind: 'run', path: 'a', attempt: 2 }]);
    run.crash();
    run.launched.length = 0;
    run.tell({ kind: 'resume' });
    expect(run.launched).toEqual([{ kind: 'run', path: 'a', attempt: 2 }]);
  });

  it('before the intent runs the step as if it had not started', () => {
    const run = bench([step('a')], {}, {}, 'fail');
    run.tell({ kind: 'resume' });
    run.crash();
    run.launched.length = 0;
    run.tell({ kind: 'resume' });
    expect(run.launched).toEqual([{ kind: 'run', path: 'a', attempt: 1 }]);
  });
});

describe('outputs of an earlier run', () => {
  it('are reused, and their steps are not launched', () => {
    const run = bench([step('a'), step('b')]);
    const taken = { kind: 'step.completed', path: 'a', attempt: 1, at: 1, started: 1, output: { v: 1 } } as const;
    run.tell({ kind: 'reuse', from: 'earlier', entries: [taken] });
    expect(run.launched).toEqual([]);
    run.tell({ kind: 'resume' });
    expect(run.entries).toMatchObject([
      { kind: 'step.completed', path: 'a', from: 'earlier', attempt: 0, output: { v: 1 } },
    ]);
    expect(run.launched).toEqual([{ kind: 'run', path: 'b', attempt: 1 }]);
  });
});

describe('the usage of a step', () => {
  it('is summed over the run, for any outcome of the step', () => {
    const state = emptyState();
    const usage = { input_tokens: 3, output_tokens: 4, cost_usd: 0.5 };
    for (const path of ['a', 'b'])
      apply(state, { kind: 'step.completed', path, attempt: 1, at: 0, started: 0, output: {}, usage });
    const error = { code: 'c', message: 'm' };
    apply(state, { kind: 'step.failed', path: 'c', attempt: 1, at: 0, started: 0, error, retryAt: 5, usage });
    apply(state, { kind: 'step.noted', path: 'c', attempt: 2, at: 0, key: 'k', value: 1, usage });
    expect([state.tokens, state.costUsd]).toEqual([28, 2]);
  });
});

describe('the end', () => {
  it('aborts attempts, cancels open steps, and is the last entry', () => {
    const run = bench([step('a')]);
    run.tell({ kind: 'resume' });
    expect(kinds(run.tell({ kind: 'messages', messages: [mail(CANCEL, CANCEL)] }))).toEqual([
      'step.cancelled',
      'run.ended',
    ]);
    expect(run.launched.at(-1)).toEqual({ kind: 'abort', path: 'a' });
    for (const event of [{ kind: 'resume' }, { kind: 'due' }] as RunEvent[]) expect(run.tell(event)).toEqual([]);
  });

  it('at a deadline has priority over other due work', () => {
    const run = bench([step('a')], {}, { deadlineAt: T0 + 5 });
    run.tell({ kind: 'resume' });
    run.settle('a', { kind: 'wait', wait: { kind: 'timer', until: T0 + 5, output: {} } });
    run.now += 5;
    run.tell({ kind: 'due' });
    expect(run.state.ended).toMatchObject({ status: 'failed', error: { code: 'timed_out' } });
  });
});

const byPath = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

/** Everything but the volatile part. */
const durable = ({
  steps,
  open,
  outputs,
  items,
  checkpoints: notes,
  undoables,
  cleanup,
  consumedMessageIds: taken,
  children,
  ...rest
}: RunState) => ({
  steps: [...steps].sort(byPath),
  open: [...open].sort(),
  outputs: { ...outputs },
  items: [...items].sort(byPath),
  notes: [...notes].sort(byPath),
  undoables,
  cleanup,
  taken: [...taken].sort(),
  children: [...children].sort(byPath),
  response: rest.response,
  size: rest.size,
  stepsRun: rest.stepsRun,
  tokens: rest.tokens,
  costUsd: rest.costUsd,
  onlyReused: rest.onlyReused,
  closing: rest.closing,
  ended: rest.ended,
});

describe('any run', () => {
  const stepOf = fc.record({
    if: fc.constantFrom(undefined, true, false, '{{ steps.s0.v == 1 }}', '{{ 1 - "x" }}'),
    on_error: fc.constantFrom('fail', 'continue'),
    max_attempts: fc.integer({ min: 1, max: 3 }),
  });
  const outcome: fc.Arbitrary<(now: number) => AttemptResult> = fc.oneof(
    fc.integer({ min: 0, max: 3 }).map((v) => () => done({ v })),
    fc.boolean().map((retryable) => () => failed({ retryable })),
    fc.integer({ min: -5, max: 50 }).map(
      (ms) =>
        (now: number): AttemptResult => ({ kind: 'wait', wait: { kind: 'timer', until: now + ms, output: {} } }),
    ),
    fc.option(fc.integer({ min: 0, max: 50 })).map(
      (ms) =>
        (now: number): AttemptResult => ({
          kind: 'wait',
          wait: {
            kind: 'signal',
            signal: 'go',
            until: ms === null ? null : now + ms,
            onTimeout: { kind: 'fail', error: { code: 'late', message: 'm' } },
          },
        }),
    ),
    fc.constant(
      (): AttemptResult => ({
        kind: 'wait',
        wait: {
          kind: 'approval',
          message: '?',
          approvers: [],
          form: null,
          until: null,
          onTimeout: { kind: 'complete', output: {} },
        },
      }),
    ),
    fc.constant((): AttemptResult => ({ kind: 'stop', output: { v: 9 } })),
    fc.constant((): AttemptResult => ({ kind: 'stop', error: { code: 'stopped', message: 'm' } })),
  );
  const act = fc.oneof(
    { weight: 8, arbitrary: fc.record({ kind: fc.constant('settle' as const), at: fc.nat(9), outcome }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('start' as const), at: fc.nat(9) }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.integer({ min: 0, max: 2_000 }) }) },
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('mail' as const), name: fc.nat(9), approved: fc.boolean() }),
    },
    { weight: 2, arbitrary: fc.constant({ kind: 'crash' as const }) },
    { weight: 1, arbitrary: fc.constant({ kind: 'cancel' as const }) },
  );
  const history = fc.record({
    steps: fc.array(stepOf, { minLength: 1, maxLength: 5 }),
    acts: fc.array(act, { maxLength: 40 }),
    word: fc.constantFrom<OnInterrupted>('retry', 'fail', 'ask'),
    deadline: fc.option(fc.integer({ min: 0, max: 10_000 })),
  });

  it('folds to the same state, ends each step and itself once, and launches only open steps', () => {
    fc.assert(
      fc.property(history, ({ steps, acts, word, deadline }) => {
        const documents = steps.map(({ if: condition, on_error, max_attempts }, n) =>
          step(`s${n}`, {
            on_error,
            retry: { max_attempts, initial_interval: '1s', jitter: 0 },
            ...(condition === undefined || (n === 0 && typeof condition === 'string') ? {} : { if: condition }),
          }),
        );
        const run = bench(documents, {}, { deadlineAt: deadline === null ? null : T0 + deadline }, word);
        const sent: Message[] = [];
        const flights = new Map<string, number>();
        const check = (): void => {
          for (const command of run.launched.splice(0)) {
            if (command.kind === 'abort') flights.delete(command.path);
            if (command.kind === 'run') {
              expect(flights.has(command.path)).toBe(false);
              const known = run.state.steps.get(command.path);
              expect(known === undefined || 'failures' in known).toBe(true);
              flights.set(command.path, command.attempt);
            }
          }
          expect(durable(replay(run.entries))).toEqual(durable(run.state));
          expect(new Set(flights.keys())).toEqual(run.state.inFlight);
          if (run.state.ended !== null) expect([flights.size, run.state.open.size]).toEqual([0, 0]);
        };
        run.tell({ kind: 'resume' });
        check();
        for (const next of acts) {
          const paths = [...flights.keys()];
          const path = 'at' in next && paths.length > 0 ? (paths[next.at % paths.length] as string) : null;
          if (next.kind === 'settle' && path !== null) {
            const attempt = flights.get(path) as number;
            flights.delete(path);
            run.settle(path, next.outcome(run.now), attempt);
          } else if (next.kind === 'start' && path !== null && run.state.steps.get(path)?.kind !== 'running') {
            run.start(path, flights.get(path));
          } else if (next.kind === 'wait') {
            run.now += next.ms;
            run.tell({ kind: 'due' });
          } else if (next.kind === 'mail' || next.kind === 'cancel') {
            const asked = waitingOf(run.state).flatMap(({ name }) => (name === null ? [] : [name]));
            const names = ['go', 'approve-s0', ...asked];
            const name = next.kind === 'cancel' ? CANCEL : (names[next.name % names.length] as string);
            const data = { approved: next.kind === 'mail' && next.approved };
            sent.push(mail(`m${sent.length}`, name, run.now, data));
            run.tell({ kind: 'messages', messages: [sent.at(-1) as Message] });
          } else if (next.kind === 'crash') {
            flights.clear();
            run.crash();
            run.tell({ kind: 'messages', messages: sent });
            run.tell({ kind: 'resume' });
          }
          check();
        }
        const settled = run.entries.flatMap((entry) =>
          entry.kind === 'step.completed' ||
          entry.kind === 'step.skipped' ||
          entry.kind === 'step.cancelled' ||
          (entry.kind === 'step.failed' && entry.retryAt === null)
            ? [entry.path]
            : [],
        );
        expect(new Set(settled).size).toBe(settled.length);
        const ends = run.entries.flatMap((entry, index) => (entry.kind === 'run.ended' ? [index] : []));
        expect(ends.length === 0 || (ends.length === 1 && ends[0] === run.entries.length - 1)).toBe(true);
        const taken = run.entries.flatMap((entry) => ('mail' in entry && entry.mail !== undefined ? [entry.mail] : []));
        expect(new Set(taken).size).toBe(taken.length);
      }),
      { numRuns: 700 },
    );
  });

  it('names the step of a path by its last segment', () => {
    expect([stepIdOf('a'), stepIdOf('big/cases.0/ask')]).toEqual(['a', 'ask']);
  });
});
