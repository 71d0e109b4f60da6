/**
 * The attempts of one run that are in progress here. Owns: their flights, and the way from an attempt to its outcome.
 * Does not own: which are made, and what follows from their outcomes.
 */
import type { PreparedStep } from '../../dsl';
import type { Emitted, EmittedSignal, NodeMeans } from '../../nodes/contract';
import type { Entry } from '../record/entry';
import type { RunState } from '../record/state';
import { childOf, unwanted } from '../rules/children';
import type { Settled, SettledEvent } from '../rules/event';
import type { RunFacts } from '../rules/scope';
import { speaks } from '../rules/speaks';
import { stepAt } from '../rules/step-at';
import type { Veil } from '../rules/veil';
import { viewAt, withGiven } from '../rules/view';
import { cancellation } from '../rules/waits';
import type { Execution } from '../store/port';
import { Aborted, type ActorDeps } from './deps';
import { Flight } from './flight';
import { ClaimLost } from './journal';
import { type ChildAsked, perform } from './perform';
import { guarded } from './guarded';
import { Speech } from './speech';
import { startChild } from './start-child';
import { StepCache } from './step-cache';
import { StepLog } from './step-log';
import { beginStepSpan, type StepSpan, traced } from './tracing';

/** What is recorded in the middle of an attempt: the intent of its effect, and notes of its parts. */
export type Recorded = Extract<Entry, { kind: 'step.started' | 'step.noted' }>;
type Intent = Extract<Entry, { kind: 'step.started' }>;

export interface AttemptsDeps {
  readonly deps: ActorDeps;
  readonly execution: Execution;
  readonly facts: RunFacts;
  readonly veil: Veil;
  readonly state: () => RunState;
  /** Makes it a part of the history; resolves when that is durable. @throws ClaimLost */
  readonly record: (entry: Recorded) => Promise<void>;
  readonly onSettled: (event: SettledEvent) => void;
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
    const step = stepAt(facts.plan, path);
    const flight = new Flight();
    this.#flights.set(path, flight);
    const pause = deps.breath.take();
    if (pause !== null) await pause;
    if (flight.aborted) return;
    const started = deps.clock.now();
    const span = beginStepSpan(deps.tracer, execution, step, { attempt, startedAt: started });
    const log = facts.given !== undefined ? new StepLog(() => deps.clock.now()) : null;
    let speech = null as Speech | null;
    try {
      const performed = await perform({
        facts,
        step,
        attempt,
        view: withGiven(viewAt(facts.plan, state(), path), facts.given),
        veil,
        at: { now: started, random: deps.random },
        node: deps.node(step.def.type, execution.tenantId),
        nodeType: async (type) => deps.node(type, execution.tenantId),
        check: deps.check,
        cache: this.#cacheOf(step),
        clock: deps.clock,
        http: {
          request: (request) =>
            deps.http.request({ ...request, ...traced(request.headers, span), mayBegin: () => this.#mayBegin(flight) }),
        },
        flight,
        means: () => this.#means(flight),
        keyOf: (part) => deps.idempotencyKey(execution.id, part === '' ? path : `${path}#${part}`),
        notes: () => state().notes.get(path),
        note: (made) => this.#write({ kind: 'step.noted', path, attempt, at: deps.clock.now(), ...made }, flight),
        secrets: (names) => deps.secrets(execution.tenantId, names),
        connection: (ref, wanted) => deps.connection(execution.tenantId, ref, wanted, flight.signal),
        files: () => deps.files(execution, () => this.#assertMayBegin(flight)),
        skills: () => deps.skills(execution.tenantId),
        knowledge: () => deps.knowledge(execution, () => this.#assertMayBegin(flight)),
        intend: (input) => this.#write({ kind: 'step.started', path, attempt, at: started, input }, flight),
        startChild: (asked, input) =>
          this.#startChild({ kind: 'step.started', path, attempt, at: started, input }, asked, flight, span),
        emit: (messageId, signal) => this.#emit(messageId, signal, flight),
        voice: () => (speech ??= this.#speech(step, attempt, flight)),
        log: (level, message, data) => {
          log?.add(level, message, data);
          deps.log(execution, level, message, data, step.def.id);
        },
      });
      speech?.end();
      span?.end(performed.outcome, deps.clock.now());
      deps.meters.stepEnded(
        step.def.type,
        performed.instead === 'cache' ? 'cached' : performed.outcome.kind,
        deps.clock.now() - started,
      );
      const logs = log === null ? {} : { logs: log.lines };
      this.#land(flight, { kind: 'settled', path, attempt, started, ...performed, ...logs });
    } catch (fault) {
      span?.end(null, deps.clock.now());
      if (fault instanceof Aborted) return;
      onFault(fault);
      const error = { code: 'internal', message: 'The step could not be run' };
      const outcome = { kind: 'fail', error, retryable: true } as const;
      this.#land(flight, { kind: 'settled', path, attempt, started, outcome });
    }
  }

  #cacheOf({ def }: PreparedStep): StepCache | null {
    const { deps, execution, facts } = this.run;
    if (def.cache === undefined || facts.given !== undefined) return null;
    const { tenantId } = execution;
    const owner = { tenantId, workflowId: facts.workflowId, stepId: def.id, type: def.type, ttlMs: def.cache.ttlMs };
    return new StepCache(deps.outputs, deps.clock, owner, (message) => deps.log(execution, 'warn', message));
  }

  /** Connections, as HTTP, are for attempts that may still begin something. */
  #means(flight: Flight): NodeMeans {
    const { net, mail, ...rest } = this.run.deps.means(this.run.execution.tenantId);
    const mayBegin = (): boolean => this.#mayBegin(flight);
    return {
      ...rest,
      net: guarded(net, mayBegin),
      mail: mail === null ? null : { ...mail, net: guarded(mail.net, mayBegin) },
    };
  }

  /** Null for a step that has nothing to say for the run, and while nobody listens. */
  #speech({ def, path }: PreparedStep, attempt: number, flight: Flight): Speech | null {
    const { deps, execution, facts, veil } = this.run;
    const tell = speaks(facts.plan, path) ? deps.audience(execution) : null;
    if (tell === null) return null;
    return new Speech({
      stepId: def.id,
      veil,
      clock: deps.clock,
      newTake: () => `${attempt}:${Buffer.from(deps.random(8)).toString('hex')}`,
      send: (said) => {
        if (this.#mayBegin(flight)) tell(said);
      },
    });
  }

  async #emit(messageId: string, signal: EmittedSignal, flight: Flight): Promise<Emitted> {
    this.#assertMayBegin(flight);
    return this.run.deps.emit(this.run.execution, messageId, signal);
  }

  #assertMayBegin(flight: Flight): void {
    if (!this.#mayBegin(flight)) throw new Aborted();
  }

  /** Not once the run was cancelled, nor when this host may not act any more, whether or not it has noticed. */
  #mayBegin(flight: Flight): boolean {
    return !flight.aborted && this.run.deps.mayWrite();
  }

  #land(flight: Flight, event: SettledEvent): void {
    if (this.#flights.get(event.path) !== flight) return;
    this.#flights.delete(event.path);
    this.run.onSettled(event);
  }

  async #write(entry: Recorded, flight: Flight): Promise<void> {
    if (!flight.aborted) await this.run.record(entry);
    // Cancelled, or fenced, while the record was on its way: the effect must not begin.
    if (flight.aborted) throw new Aborted();
    if (!this.run.deps.mayWrite()) throw new ClaimLost(this.run.execution.id);
  }

  #cancel(childId: string): Promise<unknown> {
    const { deps, execution } = this.run;
    const now = deps.clock.now();
    return deps.store.post(childId, cancellation(now, unwanted(execution.id)), now);
  }

  #startChild(intent: Intent, asked: ChildAsked, flight: Flight, span: StepSpan | null): Promise<Settled> {
    const { deps, execution, state } = this.run;
    // By what it is for where a step starts several: one may begin though the end of another is not on record.
    const purpose = asked.note === undefined ? intent.path : `${intent.path}#${asked.note}`;
    const childId = childOf(state(), (n) => deps.childId(execution.id, purpose, n));
    const awaited = asked.wait ? { child: childId } : {};
    return startChild(
      {
        parent: execution,
        path: intent.path,
        childId,
        clock: deps.clock,
        flight,
        traceparent: span?.traceparent ?? null,
        start: deps.startChild,
        intend: () => this.#write({ ...intent, ...awaited }, flight),
        unwanted: () => state().ended !== null || (asked.wait && !state().open.has(intent.path)),
        cancel: () => this.#cancel(childId),
        warn: (message) => deps.log(execution, 'warn', message),
      },
      asked,
    );
  }
}
