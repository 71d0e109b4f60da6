import { type PreparedPlan, render } from '../../../dsl';
import type { Json, JsonObject } from '../../../lib/json';
import type { OnInterrupted } from '../../../nodes/contract';
import type { Entry } from '../../../runtime/record/entry';
import { apply, replay } from '../../../runtime/record/fold';
import { emptyState, type Mail, type RunState } from '../../../runtime/record/state';
import { decide } from '../../../runtime/rules/decide';
import { nextDue } from '../../../runtime/rules/due';
import type { RunEvent, Settled } from '../../../runtime/rules/event';
import { type RunFacts, scope } from '../../../runtime/rules/scope';
import { stepAt } from '../../../runtime/rules/step-at';
import type { Command } from '../../../runtime/rules/turn';
import { viewAt } from '../../../runtime/rules/view';
import { waitingOf } from '../../../runtime/rules/waiting';
import { World } from './world';

export const T0 = Date.UTC(2030, 0, 1);

const world = new World();

export const factsOf = (plan: PreparedPlan, more: Partial<RunFacts> = {}): RunFacts => ({
  id: 'run',
  workflowId: 'workflow',
  startedAt: T0,
  deadlineAt: plan.plan.timeoutMs === null ? null : T0 + plan.plan.timeoutMs,
  env: 'dev',
  trigger: {},
  plan,
  vars: {},
  approvalLink: (address, decision) => `${address}/${decision}`,
  ...more,
});

export const done = (output: JsonObject = {}): Settled => ({ kind: 'done', output });
export const failed = (more: object = {}): Settled =>
  ({ kind: 'fail', error: { code: 'c', message: 'm' }, retryable: false, ...more }) as Settled;
export const step = (id: string, more: JsonObject = {}): Json => ({ id, type: 'effect', config: {}, ...more });
export const set = (id: string, config: JsonObject = {}, more: JsonObject = {}): Json => ({
  id,
  type: 'set',
  config,
  ...more,
});
export const mail = (id: string, name: string, at = T0, data: JsonObject = {}): Mail => ({
  id,
  name,
  data,
  by: 'ann',
  at,
});
export const kinds = (entries: readonly Entry[]): string[] => entries.map((entry) => entry.kind);
/** Kind and path of each entry: `completed each/steps[0]/a`. */
export const told = (entries: readonly Entry[]): string[] =>
  entries.map((entry) => `${entry.kind.split('.')[1] ?? ''}${'path' in entry ? ` ${entry.path}` : ''}`);

/** How a story goes on: what attempts answer, and what people say to those who wait. */
export interface Script {
  /** By run path; what is not named is done with its path, or with its configuration if it is a `set`. */
  readonly answers?: Readonly<Record<string, Settled | ((attempt: number, now: number) => Settled)>>;
  /** By the name that is waited for. */
  readonly replies?: Readonly<Record<string, JsonObject>>;
  /** A message that comes once the condition holds. */
  readonly when?: readonly { readonly is: (run: Bench) => boolean; readonly mail: Mail }[];
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
  readonly sent: Mail[] = [];
  now = T0;

  constructor(
    readonly facts: RunFacts,
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
      { facts: this.facts, interruption: () => this.interruption },
      this.state,
      event,
      at,
    );
    if (entries.length > 0) this.decisions.push(entries);
    this.launched.push(...commands);
    for (const command of commands) {
      if (command.kind === 'run') this.flights.set(command.path, command.attempt);
      if (command.kind === 'abort') this.flights.delete(command.path);
    }
    if (commands.some(({ kind }) => kind === 'go_on')) return [...entries, ...this.tell({ kind: 'due' })];
    return entries;
  }

  settle(path: string, outcome: Settled): Entry[] {
    const attempt = this.flights.get(path);
    if (attempt === undefined) throw new Error(`${path} is not in flight, but ${[...this.flights.keys()].join(', ')}`);
    this.flights.delete(path);
    return this.tell({ kind: 'settled', path, attempt, started: this.now, outcome, input: { in: 1 } });
  }

  /** What the shell does in front of an effect. */
  start(path: string): void {
    const entry: Entry = { kind: 'step.started', path, attempt: this.flights.get(path) ?? 1, at: this.now, input: {} };
    apply(this.state, entry);
    this.decisions.push([entry]);
  }

  send(message: Mail): Entry[] {
    this.sent.push(message);
    return this.tell({ kind: 'mail', mail: [message] });
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
    this.tell({ kind: 'mail', mail: this.sent });
    this.tell({ kind: 'resume' });
    for (let turns = 0; turns < 10_000; turns++) {
      this.drive(script);
      if (this.state.ended !== null) return this;
      if (!this.#hears(script)) this.pass();
    }
    throw new Error('The run does not end');
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

  #byDefault(path: string): Settled {
    const { def, config } = stepAt(this.facts.plan, path);
    if (def.type !== 'set') return done({ at: path });
    const at = { now: this.now, random: (bytes: number) => new Uint8Array(bytes) };
    const view = viewAt(this.facts.plan, this.state, path);
    return done(render(config, scope(this.facts, view, 1, at)) as JsonObject);
  }
}

export const bench = (
  steps: Json[],
  rest: JsonObject = {},
  more: Partial<RunFacts> = {},
  interruption?: OnInterrupted,
): Bench => new Bench(factsOf(world.plan(steps, rest), more), interruption);

/** The outputs of the steps that completed, by path, from the history: what is over is not in memory any more. */
export const outputsOf = (run: Bench): Record<string, JsonObject> =>
  Object.fromEntries(
    run.entries.flatMap((entry) => (entry.kind === 'step.completed' ? [[entry.path, entry.output]] : [])),
  );

const byPath = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);

/** Everything of a state but its volatile part. */
export const durable = ({ steps, open, items, notes, children, taken, outputs, ...rest }: RunState) => {
  const { inside: _, flights: _f, mail: _m, cursors: _c, loops: _l, overdue: _o, ...kept } = rest;
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
