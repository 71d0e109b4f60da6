import { type PreparedPlan, render } from '../../../dsl';
import { errorMessage } from '../../../lib/errors';
import type { Json, JsonObject } from '../../../lib/json';
import type { OnInterrupted } from '../../../nodes/contract';
import type { PauseRequest } from '../../../runtime/core/model';
import type { Entry } from '../../../runtime/core/entries/entry';
import { apply, replay } from '../../../runtime/core/state/fold';
import { emptyState, type Message, type RunState } from '../../../runtime/core/state/state';
import { decide } from '../../../runtime/core/decide/decide';
import { nextDue } from '../../../runtime/core/decide/due';
import type { RunEvent, AttemptResult } from '../../../runtime/core/decide/event';
import { type RunContext, evaluationEnvironment } from '../../../runtime/core/state/run-context';
import { stepAt } from '../../../runtime/core/state/step-at';
import type { Command } from '../../../runtime/core/decide/decision-builder';
import { viewAt } from '../../../runtime/core/state/step-view';
import { waitingOf } from '../../../runtime/core/decide/waiting';
import { World } from './world';

export const T0 = Date.UTC(2030, 0, 1);

const world = new World();

export const factsOf = (plan: PreparedPlan, more: Partial<RunContext> = {}): RunContext => ({
  id: 'run',
  workflowId: 'workflow',
  startedAt: T0,
  deadlineAt: plan.plan.timeoutMs === null ? null : T0 + plan.plan.timeoutMs,
  env: 'dev',
  trigger: {},
  plan,
  vars: {},
  stepLink: (address, decision) => `${address}/${decision}`,
  ...more,
});

export const done = (output: JsonObject = {}): AttemptResult => ({ kind: 'done', output });
export const failed = (more: object = {}): AttemptResult =>
  ({ kind: 'fail', error: { code: 'c', message: 'm' }, retryable: false, ...more }) as AttemptResult;
export const step = (id: string, more: JsonObject = {}): Json => ({ id, type: 'effect', config: {}, ...more });
export const set = (id: string, config: JsonObject = {}, more: JsonObject = {}): Json => ({
  id,
  type: 'set',
  config,
  ...more,
});
export const mail = (id: string, name: string, at = T0, data: JsonObject = {}): Message => ({
  id,
  name,
  data,
  by: 'ann',
  at,
});
export const kinds = (entries: readonly Entry[]): string[] => entries.map((entry) => entry.kind);
/** Kind and path of each entry: `completed each/steps[0]/a`. */
export const kindsAndPaths = (entries: readonly Entry[]): string[] =>
  entries.map((entry) => `${entry.kind.split('.')[1] ?? ''}${'path' in entry ? ` ${entry.path}` : ''}`);

/** How a run continues: the results of attempts, and the messages to waiting steps. */
export interface Script {
  /** By run path; other steps complete with their path, or a `set` with its configuration. */
  readonly answers?: Readonly<Record<string, AttemptResult | ((attempt: number, now: number) => AttemptResult)>>;
  /** By the name of the awaited message. */
  readonly replies?: Readonly<Record<string, JsonObject>>;
  /** A message that is sent once the condition holds. */
  readonly when?: readonly { readonly is: (run: Bench) => boolean; readonly mail: Message }[];
  /** The attempts of these record their intent before they answer. */
  readonly intends?: boolean;
}

/** A run under rules, without a shell: the test settles what was launched. */
export class Bench {
  state: RunState = emptyState();
  readonly decisions: Entry[][] = [];
  readonly launched: Command[] = [];
  /** Attempts in flight, by path, in the order of their launches. */
  readonly flights = new Map<string, number>();
  readonly sent: Message[] = [];
  now = T0;

  constructor(
    readonly facts: RunContext,
    readonly interruption: OnInterrupted = 'retry',
  ) {}

  /** The run as the next owner finds it who reads so many of the decisions. */
  static after(run: Bench, decisions: number): Bench {
    const next = new Bench(run.facts, run.interruption);
    next.decisions.push(...run.decisions.slice(0, decisions));
    next.state = replay(next.entries);
    const last = next.entries.at(-1);
    next.now = last?.at ?? T0;
    return next;
  }

  get entries(): Entry[] {
    return this.decisions.flat();
  }

  get output(): Json | undefined {
    return this.state.ended?.output;
  }

  tell(event: RunEvent): Entry[] {
    const at = { now: this.now, random: (bytes: number) => new Uint8Array(bytes).fill(128) };
    const { entries, commands } = decide(
      { context: this.facts, recoveryPolicy: () => this.interruption },
      this.state,
      event,
      at,
    );
    if (entries.length > 0) this.decisions.push(entries);
    this.launched.push(...commands);
    for (const command of commands) {
      if (command.kind === 'run') this.flights.set(command.path, command.attempt);
      if (command.kind === 'abort') this.flights.delete(command.path);
      if (command.kind === 'evaluate') this.#evaluate(command);
      if (command.kind === 'prepare')
        this.state.evaluations.get(command.path)?.set(command.what, { kind: 'value', value: command.value });
    }
    if (commands.some(({ kind }) => kind === 'go_on' || kind === 'evaluate' || kind === 'prepare'))
      return [...entries, ...this.tell({ kind: 'due' })];
    return entries;
  }

  settle(path: string, outcome: AttemptResult): Entry[] {
    const attempt = this.flights.get(path);
    if (attempt === undefined) throw new Error(`${path} is not in flight, but ${[...this.flights.keys()].join(', ')}`);
    this.flights.delete(path);
    return this.tell({ kind: 'result', path, attempt, started: this.now, outcome, input: { in: 1 } });
  }

  /** What the shell says of an attempt that has not begun, because the run was paused. */
  hold(path: string): Entry[] {
    this.flights.delete(path);
    return this.tell({ kind: 'held', path });
  }

  /** What the shell does in front of an effect. */
  start(path: string): void {
    const entry: Entry = { kind: 'step.started', path, attempt: this.flights.get(path) ?? 1, at: this.now, input: {} };
    apply(this.state, entry);
    this.decisions.push([entry]);
  }

  send(message: Message): Entry[] {
    this.sent.push(message);
    return this.tell({ kind: 'messages', messages: [message] });
  }

  /** Requests a pause or its end, as the host reads it from the run's document. */
  request(kind: PauseRequest['kind'], rev: number): Entry[] {
    const pause: PauseRequest = { kind, rev, at: this.now, by: 'ann', reason: null };
    return this.tell({ kind: 'messages', messages: [], pause });
  }

  /** Time goes on to the next instant at which something is due. */
  pass(): Entry[] {
    const due = nextDue(this.facts, this.state);
    if (due === null) throw new Error('Nothing is due');
    this.now = Math.max(this.now, due);
    return this.tell({ kind: 'due' });
  }

  /** Settles what is in flight, the oldest first, until nothing is. */
  drive({ answers = {}, intends = false }: Script = {}): this {
    for (let [next] = this.flights; next !== undefined; [next] = this.flights) {
      const [path, attempt] = next;
      const answer = answers[path];
      const outcome = typeof answer === 'function' ? answer(attempt, this.now) : (answer ?? this.#byDefault(path));
      if (intends && stepAt(this.facts.plan, path).def.type !== 'set') this.start(path);
      this.settle(path, outcome);
    }
    return this;
  }

  /** Plays the run to its end. */
  play(script: Script = {}): this {
    this.tell({ kind: 'messages', messages: this.sent });
    this.tell({ kind: 'resume' });
    for (let turns = 0; turns < 10_000; turns++) {
      this.drive(script);
      if (this.state.ended !== null) return this;
      if (!this.#hears(script)) this.pass();
    }
    throw new Error('The run does not end');
  }

  #evaluate({ path, what, template, env }: Extract<Command, { kind: 'evaluate' }>): void {
    const results = this.state.evaluations.get(path);
    try {
      results?.set(what, { kind: 'value', value: render(template, env) });
    } catch (fault) {
      results?.set(what, { kind: 'refused', message: errorMessage(fault) });
    }
  }

  #hears({ replies = {}, when = [] }: Script): boolean {
    const next = when.find(({ is, mail: { id } }) => !this.#knows(id) && is(this));
    if (next !== undefined) return this.send({ ...next.mail, at: this.now }).length >= 0;
    for (const { name } of waitingOf(this.state)) {
      const data = name === null ? undefined : replies[name];
      if (name === null || data === undefined || this.#knows(name)) continue;
      this.send(mail(name, name, this.now, data));
      return true;
    }
    return false;
  }

  #knows(id: string): boolean {
    return this.sent.some((message) => message.id === id);
  }

  #byDefault(path: string): AttemptResult {
    const { def, config } = stepAt(this.facts.plan, path);
    if (def.type !== 'set') return done({ at: path });
    const at = { now: this.now, random: (bytes: number) => new Uint8Array(bytes) };
    const view = viewAt(this.facts.plan, this.state, path);
    return done(render(config, evaluationEnvironment(this.facts, view, 1, at)) as JsonObject);
  }
}

export const bench = (
  steps: Json[],
  rest: JsonObject = {},
  more: Partial<RunContext> = {},
  interruption?: OnInterrupted,
): Bench => new Bench(factsOf(world.plan(steps, rest), more), interruption);

/** The outputs of the steps that completed, by path, from the history: what is over is not in memory any more. */
export const outputsOf = (run: Bench): Record<string, JsonObject> =>
  Object.fromEntries(
    run.entries.flatMap((entry) => (entry.kind === 'step.completed' ? [[entry.path, entry.output]] : [])),
  );

const byPath = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

/** Everything of a state but its volatile part. */
export const durable = ({
  steps,
  open,
  items,
  checkpoints: notes,
  children,
  consumedMessageIds: taken,
  outputs,
  ...rest
}: RunState) => {
  const {
    tree: _,
    inFlight: _f,
    messages: _m,
    cursors: _c,
    loops: _l,
    overdue: _o,
    turns: _t,
    pauseRequest: _p,
    ...kept
  } = rest;
  return {
    ...kept,
    steps: [...steps].sort(byPath),
    open: [...open].sort(),
    items: [...items].sort(byPath),
    notes: [...notes].sort(byPath),
    children: [...children].sort(byPath),
    taken: [...taken].sort(),
    outputs: { ...outputs },
  };
};
