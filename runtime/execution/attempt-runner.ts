/**
 * The attempts of one run in progress on this host. Owns: the attempts in flight, from their begin to their result.
 * Does not own: which attempts are made, and what follows from their results.
 */
import type { PreparedStep } from '../../dsl';
import type { EmitResult, EmittedSignal, NodeCapabilities } from '../../nodes/contract';
import { errorMessage } from '../../lib/errors';
import { type Json, jsonSize } from '../../lib/json';
import type { Entry, StepLine } from '../core/entries/entry';
import type { RunState } from '../core/state/state';
import { nextChildId, parentEnded } from '../core/decide/children';
import type { AttemptResult, AttemptResultEvent } from '../core/decide/event';
import type { RunContext } from '../core/state/run-context';
import { streamsRunOutput } from '../core/decide/streams-run-output';
import { stepAt } from '../core/state/step-at';
import type { SecretRedactor } from '../core/secrets/secret-redactor';
import { viewAt, withFixture } from '../core/state/step-view';
import { cancelMessage } from '../core/decide/waits';
import type { Execution } from '../core/model';
import { abortableConnect } from './abortable-connect';
import { AttemptConnection } from './connection-use';
import { connectionWaitAt } from '../core/state/connection-wait';
import { Aborted, type ActorDeps } from './deps';
import { InFlightAttempt } from './in-flight-attempt';
import { reportHeldThread } from './held-thread';
import { ClaimLost } from './journal';
import { type ChildRequest, executeStep } from './execute-step';
import { OutputStream } from './output-stream';
import { RunLog } from './run-log';
import { startChild } from './start-child';
import { StepCache } from './step-cache';
import { beginStepSpan, type StepSpan, traced } from './tracing';

/** Entries recorded during an attempt: the intent of its effect, and checkpoints of its sub-steps. */
export type MidAttemptEntry = Extract<Entry, { kind: 'step.started' | 'step.noted' }>;
type Intent = Extract<Entry, { kind: 'step.started' }>;

interface AttemptRunnerDeps {
  readonly deps: ActorDeps;
  readonly execution: Execution;
  readonly context: RunContext;
  readonly redactor: SecretRedactor;
  readonly state: () => RunState;
  /** The time of the run, which a trial may simulate. */
  readonly now: () => number;
  /** Adds an entry to the history; resolves when it is durable. @throws ClaimLost */
  readonly record: (entry: MidAttemptEntry) => Promise<void>;
  /** Resolves when the document of the run is stored. */
  readonly stored: () => Promise<void>;
  readonly onFinished: (event: AttemptResultEvent) => void;
  /** An attempt does not begin, because the run is paused. */
  readonly onHeld: (path: string) => void;
  readonly onFault: (fault: unknown) => void;
  /** An internal error outside any step: this activation cannot continue. */
  readonly onBroken: (fault: unknown) => void;
}

export class AttemptRunner {
  readonly #inFlight = new Map<string, InFlightAttempt>();
  /** The run is marked for versions that know waits for connections. */
  #isMarked = false;
  #begun = 0;
  /** Made with the first line. */
  #log: RunLog | null = null;

  constructor(private readonly run: AttemptRunnerDeps) {}

  get size(): number {
    return this.#inFlight.size;
  }

  abort(path: string): void {
    this.#inFlight.get(path)?.abort();
    this.#inFlight.delete(path);
  }

  abortAll(): void {
    for (const path of [...this.#inFlight.keys()]) this.abort(path);
  }

  /** Registers all secrets of the plan: the output of a run may contain secrets that no step has used on this host. */
  async registerSecrets(barrier: () => Promise<void>): Promise<void> {
    const { deps, execution, context, redactor } = this.run;
    const { secrets } = context.plan.plan;
    if (redactor.hasRegistered(secrets)) return;
    // Reading secrets may end this activation, and no result of an effect may be lost by that.
    await barrier();
    redactor.register(await deps.secrets(execution.tenantId, secrets), secrets);
  }

  /** Never throws. */
  begin(path: string, attempt: number): void {
    this.#attempt(path, attempt).catch(this.run.onBroken);
  }

  async #attempt(path: string, attempt: number): Promise<void> {
    const { deps, execution, context, redactor, state, onFault } = this.run;
    const step = stepAt(context.plan, path);
    const inFlight = new InFlightAttempt((fault) =>
      deps.log(execution, 'error', `An abort listener failed: ${errorMessage(fault)}`, undefined, step.def.id),
    );
    this.#inFlight.set(path, inFlight);
    for (let pause = deps.turns.take(execution.tenantId); pause !== null; pause = deps.turns.take(execution.tenantId))
      await pause;
    if (inFlight.aborted) return;
    if (state().paused !== null) return this.#hold(path, inFlight);
    const began = deps.clock.now();
    const started = this.run.now();
    const span = beginStepSpan(deps.tracer, execution, step, { attempt, startedAt: began });
    const log = context.fixture !== undefined ? new StepLog(() => deps.clock.now()) : null;
    let stream = null as OutputStream | null;
    let connection = null as AttemptConnection | null;
    try {
      const executed = executeStep({
        tenantId: execution.tenantId,
        context,
        step,
        attempt,
        view: withFixture(viewAt(context.plan, state(), path), context.fixture),
        redactor,
        inputs: { now: started, random: deps.random },
        node: deps.node(step.def.type, execution.tenantId),
        nodeType: async (type) => deps.node(type, execution.tenantId),
        check: deps.check,
        cache: this.#cacheOf(step),
        clock: deps.clock,
        inTurn: (work) => this.#inTurn(work, inFlight, step.def.id),
        tryInTurn: (work) => this.#tryInTurn(work, step.def.id),
        http: {
          request: (request) =>
            deps.http.request({
              ...request,
              ...traced(request.headers, span),
              mayBegin: () => this.#mayBegin(inFlight),
            }),
        },
        attemptInFlight: inFlight,
        capabilities: () => this.#capabilities(inFlight),
        keyOf: (part) => deps.idempotencyKey(execution.id, part === '' ? path : `${path}#${part}`),
        checkpoints: () => state().checkpoints.get(path),
        checkpoint: (made) => this.#write({ kind: 'step.noted', path, attempt, at: this.run.now(), ...made }, inFlight),
        secrets: (names) => deps.secrets(execution.tenantId, names),
        connection: (ref, wanted) => deps.connection(execution.tenantId, ref, wanted, inFlight.signal),
        admit: (ready) => (connection ??= this.#connectionOf(path, began, inFlight)).admit(ready),
        files: () => deps.files(execution, () => this.#assertMayBegin(inFlight)),
        skills: () => deps.skills(execution.tenantId),
        knowledge: () => deps.knowledge(execution, () => this.#assertMayBegin(inFlight)),
        intend: (input) => this.#intend({ kind: 'step.started', path, attempt, at: started, input }, inFlight),
        startChild: (request, input) =>
          this.#startChild({ kind: 'step.started', path, attempt, at: started, input }, request, inFlight, span),
        emit: (messageId, signal) => this.#emit(messageId, signal, inFlight),
        stream: () => (stream ??= this.#stream(step, attempt, inFlight)),
        log: (level, message, data) => {
          if (log === null) this.#runLog().add(path, attempt, level, message, data);
          else log.add(level, message, data);
          deps.log(execution, level, message, data, step.def.id);
        },
      });
      const result = executed instanceof Promise ? await executed : executed;
      connection?.learn(result.outcome);
      // Before the result: who sees that a step has ended finds its lines.
      if (this.#log !== null) await this.#log.attemptEnded(path, attempt);
      stream?.end();
      span?.end(result.outcome, deps.clock.now());
      deps.meters.stepEnded(
        step.def.type,
        result.instead === 'cache' ? 'cached' : result.outcome.kind,
        deps.clock.now() - began,
      );
      const logs = log === null ? {} : { logs: log.lines };
      this.#onFinished(inFlight, { kind: 'result', path, attempt, started, ...result, ...logs });
    } catch (fault) {
      span?.end(null, deps.clock.now());
      if (fault instanceof Aborted) return;
      if (fault instanceof RunPaused) return this.#hold(path, inFlight);
      onFault(fault);
      const error = { code: 'internal', message: 'The step could not be run' };
      const outcome = { kind: 'fail', error, retryable: true } as const;
      this.#onFinished(inFlight, { kind: 'result', path, attempt, started, outcome });
    } finally {
      connection?.end();
    }
  }

  #connectionOf(path: string, started: number, inFlight: InFlightAttempt): AttemptConnection {
    const { deps, execution, state, stored, onFault } = this.run;
    const { id, tenantId, epoch } = execution;
    const n = ++this.#begun;
    return new AttemptConnection({
      quotas: deps.quotas,
      clock: deps.clock,
      tenantId,
      asking: () => ({
        id: `${id}/${path}`,
        run: id,
        epoch,
        n,
        since: connectionWaitAt(state(), path)?.since ?? started,
      }),
      mark: async () => {
        if (this.#isMarked) return;
        await stored();
        await deps.quotas.mark(id);
        this.#isMarked = true;
      },
      assertMayBegin: () => this.#assertMayBegin(inFlight),
      isHere: deps.mayWrite,
      waitsHere: this.run.context.simulatesTime === true,
      pause: (connection, until) => deps.pauseConnection(tenantId, connection, until),
      onFault,
    });
  }

  #runLog(): RunLog {
    const { deps, execution, onFault } = this.run;
    this.#log ??= new RunLog({
      logs: deps.logs,
      clock: deps.clock,
      executionId: execution.id,
      mayWrite: deps.mayWrite,
      onStored: () => deps.onLogged(execution),
      onFault,
    });
    return this.#log;
  }

  #cacheOf({ def }: PreparedStep): StepCache | null {
    const { deps, execution, context } = this.run;
    if (def.cache === undefined || context.fixture !== undefined) return null;
    const { tenantId } = execution;
    const owner = { tenantId, workflowId: context.workflowId, stepId: def.id, type: def.type, ttlMs: def.cache.ttlMs };
    return new StepCache(deps.outputs, deps.clock, owner, (message) => deps.log(execution, 'warn', message));
  }

  /** Connections, as HTTP, are only for attempts that may still begin an effect. */
  #capabilities(inFlight: InFlightAttempt): NodeCapabilities {
    const { net, mail, ...rest } = this.run.deps.capabilities(this.run.execution.tenantId);
    const mayBegin = (): boolean => this.#mayBegin(inFlight);
    return {
      ...rest,
      net: abortableConnect(net, mayBegin),
      mail: mail === null ? null : { ...mail, net: abortableConnect(mail.net, mayBegin) },
    };
  }

  /** Null for a step that does not stream the run's output, and without subscribers. */
  #stream({ def, path }: PreparedStep, attempt: number, inFlight: InFlightAttempt): OutputStream | null {
    const { deps, execution, context, redactor } = this.run;
    const send = streamsRunOutput(context.plan, path) ? deps.subscribers(execution) : null;
    if (send === null) return null;
    return new OutputStream({
      stepId: def.id,
      redactor,
      clock: deps.clock,
      newStreamId: () => `${attempt}:${Buffer.from(deps.random(8)).toString('hex')}`,
      send: (chunk) => {
        if (this.#mayBegin(inFlight)) send(chunk);
      },
    });
  }

  /** The budget is request in the same moment in which the work begins: others may wait for their turns as well. */
  async #inTurn<T>(work: () => T, inFlight: InFlightAttempt, stepId: string): Promise<Awaited<T>> {
    const { deps, execution } = this.run;
    const { turns } = deps;
    const { tenantId } = execution;
    for (let pause = turns.pause(tenantId); pause !== null; pause = turns.pause(tenantId)) {
      await pause;
      this.#assertMayBegin(inFlight);
    }
    return await turns.measured(tenantId, work, (tookMs) => reportHeldThread(deps, execution, stepId, tookMs));
  }

  #tryInTurn<T>(work: () => T, stepId: string): { value: T } | null {
    const { deps, execution } = this.run;
    const { tenantId } = execution;
    if (!deps.turns.tryBegin(tenantId)) return null;
    return {
      value: deps.turns.measured(tenantId, work, (tookMs) => reportHeldThread(deps, execution, stepId, tookMs)),
    };
  }

  async #emit(messageId: string, signal: EmittedSignal, inFlight: InFlightAttempt): Promise<EmitResult> {
    this.#assertMayBegin(inFlight);
    return this.run.deps.emit(this.run.execution, messageId, signal);
  }

  #assertMayBegin(inFlight: InFlightAttempt): void {
    if (!this.#mayBegin(inFlight)) throw new Aborted();
  }

  /** False once the attempt was aborted, or this host may not act any more, whether or not it has noticed. */
  #mayBegin(inFlight: InFlightAttempt): boolean {
    return !inFlight.aborted && this.run.deps.mayWrite();
  }

  #onFinished(inFlight: InFlightAttempt, event: AttemptResultEvent): void {
    if (this.#inFlight.get(event.path) !== inFlight) return;
    this.#inFlight.delete(event.path);
    this.run.onFinished(event);
  }

  #hold(path: string, inFlight: InFlightAttempt): void {
    if (this.#inFlight.get(path) !== inFlight) return;
    this.#inFlight.delete(path);
    this.run.onHeld(path);
  }

  /** Records an intent. The first one of an attempt is its begin, which a pause prevents. @throws RunPaused */
  async #intend(entry: Intent, inFlight: InFlightAttempt): Promise<void> {
    if (!inFlight.aborted && !inFlight.intended && this.run.state().paused !== null) throw new RunPaused();
    inFlight.intended = true;
    await this.#write(entry, inFlight);
  }

  async #write(entry: MidAttemptEntry, inFlight: InFlightAttempt): Promise<void> {
    if (!inFlight.aborted) await this.run.record(entry);
    // Aborted or fenced while the record was being written: the effect must not begin.
    if (inFlight.aborted) throw new Aborted();
    if (!this.run.deps.mayWrite()) throw new ClaimLost(this.run.execution.id);
  }

  /** Cancels a run that a step has started. */
  cancelRun(childId: string): Promise<unknown> {
    const { deps, execution } = this.run;
    const now = deps.clock.now();
    return deps.store.addMessage(childId, cancelMessage(now, parentEnded(execution.id)), now);
  }

  #startChild(
    intent: Intent,
    request: ChildRequest,
    inFlight: InFlightAttempt,
    span: StepSpan | null,
  ): Promise<AttemptResult> {
    const { deps, execution, state } = this.run;
    // A step with several children derives their ids from the checkpoint keys: one may begin before the end of another
    // is recorded.
    const purpose = request.note === undefined ? intent.path : `${intent.path}#${request.note}`;
    const childId = nextChildId(state(), (n) => deps.childId(execution.id, purpose, n));
    const awaited = request.wait ? { child: childId } : {};
    return startChild(
      {
        parent: execution,
        path: intent.path,
        childId,
        clock: deps.clock,
        attempt: inFlight,
        traceparent: span?.traceparent ?? null,
        start: deps.startChild,
        intend: () => this.#intend({ ...intent, ...awaited }, inFlight),
        parentEnded: () => state().ended !== null || (request.wait && !state().open.has(intent.path)),
        cancel: () => this.cancelRun(childId),
        warn: (message) => deps.log(execution, 'warn', message),
      },
      request,
    );
  }
}

/** The run was paused before the attempt could begin. */
class RunPaused extends Error {}

const MAX_LINES = 200;
const MAX_LINE_CHARS = 1_000;

/** Log lines of one attempt, kept for step tests. */
class StepLog {
  readonly #lines: StepLine[] = [];

  constructor(private readonly now: () => number) {}

  get lines(): StepLine[] {
    return [...this.#lines];
  }

  add(level: StepLine['level'], message: string, data?: Json): void {
    if (this.#lines.length >= MAX_LINES) return;
    const kept = data === undefined || jsonSize(data) > MAX_LINE_CHARS ? {} : { data };
    this.#lines.push({ at: this.now(), level, message: message.slice(0, MAX_LINE_CHARS), ...kept });
  }
}
