/**
 * The attempts of one run that are in progress here. Owns: their flights, and the way from an attempt to its outcome.
 * Does not own: which are made, and what follows from their outcomes.
 */
import type { Entry } from '../record/entry';
import type { RunState } from '../record/state';
import { childOf, unwanted } from '../rules/children';
import type { RunEvent, Settled } from '../rules/decide';
import type { RunFacts } from '../rules/scope';
import type { Veil } from '../rules/veil';
import { cancellation } from '../rules/waits';
import type { Execution } from '../store/port';
import type { ActorDeps } from './deps';
import { Flight } from './flight';
import { ClaimLost } from './journal';
import { type ChildAsked, perform } from './perform';
import { startChild } from './start-child';

/** Thrown inside an attempt that was aborted before its effect began; nobody waits for its outcome. */
class Aborted extends Error {}

/** What is recorded before an effect begins. */
export type Intent = Extract<Entry, { kind: 'step.started' }>;

export interface AttemptsDeps {
  readonly deps: ActorDeps;
  readonly execution: Execution;
  readonly facts: RunFacts;
  readonly veil: Veil;
  readonly state: () => RunState;
  /** Makes the intent a part of the history; resolves when it is durable. @throws ClaimLost */
  readonly record: (intent: Intent) => Promise<void>;
  readonly onSettled: (event: Extract<RunEvent, { kind: 'settled' }>) => void;
  readonly onFault: (fault: unknown) => void;
}

export class Attempts {
  readonly #flights = new Map<string, Flight>();

  constructor(private readonly run: AttemptsDeps) {}

  get size(): number {
    return this.#flights.size;
  }

  abort(path: string): void {
    this.#flights.get(path)?.abort();
    this.#flights.delete(path);
  }

  abortAll(): void {
    for (const path of [...this.#flights.keys()]) this.abort(path);
  }

  async begin(path: string, attempt: number): Promise<void> {
    const { deps, execution, facts, veil, state, onFault } = this.run;
    const step = facts.plan.byPath.get(path);
    if (step === undefined) throw new Error(`The plan has no step at ${path}`);
    const flight = new Flight();
    const started = deps.clock.now();
    this.#flights.set(path, flight);
    try {
      const performed = await perform({
        facts,
        step,
        attempt,
        outputs: state().outputs,
        veil,
        at: { now: started, random: deps.random },
        node: deps.node(step.def.type),
        check: deps.check,
        clock: deps.clock,
        http: { request: (request) => deps.http.request({ ...request, mayBegin: () => this.#mayBegin(flight) }) },
        flight,
        idempotencyKey: () => deps.idempotencyKey(execution.id, path),
        secrets: (names) => deps.secrets(execution.tenantId, names),
        intend: (input) => this.#intend({ kind: 'step.started', path, attempt, at: started, input }, flight),
        startChild: (asked, input) =>
          this.#startChild({ kind: 'step.started', path, attempt, at: started, input }, asked, flight),
        log: (level, message, data) => deps.log(execution, level, message, data),
      });
      this.#land(flight, { kind: 'settled', path, attempt, started, ...performed });
    } catch (fault) {
      if (fault instanceof Aborted) return;
      onFault(fault);
      const error = { code: 'internal', message: 'The step could not be run' };
      const outcome = { kind: 'fail', error, retryable: true } as const;
      this.#land(flight, { kind: 'settled', path, attempt, started, outcome });
    }
  }

  /** Not once the run was cancelled, nor when this host may not act any more, whether or not it has noticed. */
  #mayBegin(flight: Flight): boolean {
    return !flight.aborted && this.run.deps.mayWrite();
  }

  #land(flight: Flight, event: Extract<RunEvent, { kind: 'settled' }>): void {
    if (this.#flights.get(event.path) !== flight) return;
    this.#flights.delete(event.path);
    this.run.onSettled(event);
  }

  async #intend(intent: Intent, flight: Flight): Promise<void> {
    if (!flight.aborted) await this.run.record(intent);
    // Cancelled, or fenced, while the record was on its way: the effect must not begin.
    if (flight.aborted) throw new Aborted();
    if (!this.run.deps.mayWrite()) throw new ClaimLost(this.run.execution.id);
  }

  #cancel(childId: string): Promise<unknown> {
    const { deps, execution } = this.run;
    const now = deps.clock.now();
    return deps.store.post(childId, cancellation(now, unwanted(execution.id)), now);
  }

  #startChild(intent: Intent, asked: ChildAsked, flight: Flight): Promise<Settled> {
    const { deps, execution, state } = this.run;
    const childId = childOf(state(), (n) => deps.childId(execution.id, intent.path, n));
    const awaited = asked.wait ? { child: childId } : {};
    return startChild(
      {
        parent: execution,
        path: intent.path,
        childId,
        clock: deps.clock,
        flight,
        start: deps.startChild,
        intend: () => this.#intend({ ...intent, ...awaited }, flight),
        ended: () => state().ended !== null,
        cancel: () => this.#cancel(childId),
        warn: (message) => deps.log(execution, 'warn', message),
      },
      asked,
    );
  }
}
