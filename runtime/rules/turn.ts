import { type Env, type PreparedPlan, type PreparedStep } from '../../dsl';
import type { Json, JsonObject } from '../../lib/json';
import type { OnInterrupted, StepError, Usage } from '../../nodes/contract';
import type { Entry, StepLine } from '../record/entry';
import { apply } from '../record/fold';
import type { RunState } from '../record/state';
import { type Circumstances, type RunFacts, scope } from './scope';
import { stepAt } from './step-at';
import { viewAt, withGiven } from './view';

/**
 * What the shell is to do. `abort`: interrupt the attempt in flight; nobody waits for its outcome. `cancel_child`: end a
 * run that nobody waits for any more. `go_on`: ask again soon, when others have had their turn.
 */
export type Command =
  | { kind: 'run'; path: string; attempt: number }
  | { kind: 'abort'; path: string }
  | { kind: 'cancel_child'; child: string }
  | { kind: 'go_on' };

export interface Decision {
  readonly entries: Entry[];
  readonly commands: Command[];
}

/** The word of a node type for an attempt that was in flight when its host died. */
export type Interruption = (step: PreparedStep) => OnInterrupted;

/** What the rules need beside the state. */
export interface Rules {
  readonly facts: RunFacts;
  readonly interruption: Interruption;
}

/** What an entry says of the attempt that it settles. */
export interface Attempt {
  readonly path: string;
  readonly attempt: number;
  readonly at: number;
  readonly started: number;
  readonly input?: Json;
  readonly mail?: string;
  readonly logs?: StepLine[];
  readonly usage?: Usage;
}

/** What may be said of a completion beside its output. */
type Completed = Pick<Extract<Entry, { kind: 'step.completed' }>, 'usage' | 'from' | 'instead'>;

/** Entries of one decision, after which loops leave off: a decision is one record, and one record is one document. */
const MANY = 500;

/**
 * Steps under way at once, about, from which on loops begin no further items. Each event looks at all that is under way:
 * loops in loops, with a hundred items each at a time, would keep their host from everybody else's runs.
 */
const CROWD = 200;

/** One decision in the making. Owns: that the state has folded what was decided. Does not own: the rules. */
export class Turn {
  readonly decision: Decision = { entries: [], commands: [] };

  /** Where something has moved: elsewhere nothing can have become ready. Null: anything may have. */
  touched: readonly string[] | null = null;

  constructor(
    readonly rules: Rules,
    readonly state: RunState,
    readonly at: Circumstances,
  ) {}

  get plan(): PreparedPlan {
    return this.rules.facts.plan;
  }

  get now(): number {
    return this.at.now;
  }

  stepAt(path: string): PreparedStep {
    return stepAt(this.plan, path);
  }

  /** What expressions see at a path. */
  env(path: string): Env {
    const { facts } = this.rules;
    return scope(facts, withGiven(viewAt(this.plan, this.state, path), facts.given), 1, this.at);
  }

  emit(entry: Entry): void {
    apply(this.state, entry);
    this.decision.entries.push(entry);
  }

  complete(attempt: Attempt, output: JsonObject, more: Completed = {}): void {
    const { def, blocks } = this.stepAt(attempt.path);
    this.emit({
      kind: 'step.completed',
      ...attempt,
      output,
      ...more,
      // What was not done here is not to be undone here.
      ...(blocks.has('compensate') && more.instead === undefined ? { undo: true } : {}),
      ...(def.type === 'webhook_response' ? { response: true } : {}),
    });
  }

  fail(attempt: Attempt, error: StepError, retryAt: number | null = null): void {
    this.emit({ kind: 'step.failed', ...attempt, error, retryAt });
  }

  launch(path: string, attempt: number): void {
    this.state.flights.add(path);
    this.decision.commands.push({ kind: 'run', path, attempt });
  }

  /** True when this decision is long enough: what could begin next begins with the one that follows it. */
  get full(): boolean {
    if (this.decision.entries.length < MANY) return false;
    if (!this.decision.commands.some(({ kind }) => kind === 'go_on')) this.decision.commands.push({ kind: 'go_on' });
    return true;
  }

  /** True when the run has so much under way that loops wait with further items. */
  get crowded(): boolean {
    return this.state.open.size + this.state.flights.size >= CROWD;
  }
}
