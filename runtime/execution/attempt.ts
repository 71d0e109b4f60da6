/**
 * One attempt of a step on this host, with what its execution may use. Owns: the intent of its effect, and that nothing of an
 * aborted attempt begins. Does not own: its execution, and what follows from its result.
 */
import type { PreparedStep } from '../../dsl';
import type { Clock } from '../../lib/clock';
import { errorMessage } from '../../lib/errors';
import type { Json } from '../../lib/json';
import type {
  ConnectionRequest,
  ConnectionResult,
  EmitResult,
  EmittedSignal,
  NodeCapabilities,
  NodeFiles,
  NodeHttp,
  NodeKnowledge,
  NodeSkills,
  NodeType,
  StepStream,
} from '../../nodes/contract';
import { nextChildId, parentEnded } from '../core/decide/children';
import type { AttemptResult } from '../core/decide/event';
import { streamsRunOutput } from '../core/decide/streams-run-output';
import { cancelMessage } from '../core/decide/waits';
import type { Entry, StepLine } from '../core/entries/entry';
import type { Execution } from '../core/model';
import type { SecretRedactor } from '../core/secrets/secret-redactor';
import { connectionWaitAt } from '../core/state/connection-wait';
import type { DecisionInputs, RunContext } from '../core/state/run-context';
import type { Checkpoints, RunState } from '../core/state/state';
import { stepAt } from '../core/state/step-at';
import { type StepView, viewAt, withFixture } from '../core/state/step-view';
import { abortableConnect } from './abortable-connect';
import { AttemptConnection } from './connection-use';
import { Aborted, type ActorDeps } from './deps';
import type { ChildRequest, StepResult } from './execute-step';
import { reportHeldThread } from './held-thread';
import { InFlightAttempt } from './in-flight-attempt';
import { ClaimLost } from './journal';
import type { Checkpoint } from './node-context';
import { OutputStream } from './output-stream';
import { startChild } from './start-child';
import { stepCacheOf, type StepCache } from './step-cache';
import { StepLog } from './step-log';
import { beginStepSpan, type StepSpan, traced } from './tracing';

/** Entries recorded during an attempt: the intent of its effect, and checkpoints of its sub-steps. */
export type MidAttemptEntry = Extract<Entry, { kind: 'step.started' | 'step.noted' }>;
type Intent = Extract<Entry, { kind: 'step.started' }>;

/** The run of an attempt. */
export interface AttemptRun {
  readonly deps: ActorDeps;
  readonly execution: Execution;
  readonly context: RunContext;
  readonly redactor: SecretRedactor;
  readonly state: () => RunState;
  /** The time of the run, which a trial may simulate. */
  readonly now: () => number;
  /** Adds an entry to the history; resolves when it is durable. @throws ClaimLost */
  readonly record: (entry: MidAttemptEntry) => Promise<void>;
  readonly onFault: (fault: unknown) => void;
}

/** What the attempts of a run on one host share. */
export interface SharedByAttempts {
  /** Keeps a redacted line of the log of the run. */
  readonly addLine: (path: string, attempt: number, level: StepLine['level'], message: string, data?: Json) => void;
  /** A number for each attempt that asks to use a connection. */
  readonly nextRequester: () => number;
  /** Stores the run and marks it for versions that know waits for connections. */
  readonly markWaiting: () => Promise<void>;
}

/** The run was paused before the attempt could begin. */
export class RunPaused extends Error {}

/** A class, as an object with a closure for each member took a tenth of the memory that a small step allocates. */
export class Attempt {
  readonly step: PreparedStep;
  readonly attemptInFlight: InFlightAttempt;
  view!: StepView;
  inputs!: DecisionInputs;
  node!: NodeType | undefined | Promise<NodeType | undefined>;
  /** Null for steps whose outputs are not cached. */
  cache: StepCache | null = null;
  /** The time of the host, which is not simulated. */
  began = 0;
  private span: StepSpan | null = null;
  /** Lines of a step test. */
  private lines: StepLog | null = null;
  private output: OutputStream | null = null;
  private use: AttemptConnection | null = null;
  /** An intent of this attempt was recorded, or is being recorded. */
  private intended = false;

  constructor(
    private readonly run: AttemptRun,
    private readonly shared: SharedByAttempts,
    readonly path: string,
    readonly attempt: number,
  ) {
    this.step = stepAt(run.context.plan, path);
    this.attemptInFlight = new InFlightAttempt(this.listenerFailed);
  }

  /** It is its turn: reads what it may use of the run. */
  begin(): void {
    const { deps, execution, context, state, now } = this.run;
    const { type } = this.step.def;
    this.began = deps.clock.now();
    this.inputs = { now: now(), random: deps.random };
    this.span = beginStepSpan(deps.tracer, execution, this.step, { attempt: this.attempt, startedAt: this.began });
    this.view = withFixture(viewAt(context.plan, state(), this.path), context.fixture);
    this.node = deps.node(type, execution.tenantId);
    if (context.fixture !== undefined) this.lines = new StepLog(deps.clock);
    else this.cache = stepCacheOf(this.run, this.step.def);
  }

  /** The attempt has a result. */
  complete({ outcome, instead }: StepResult): void {
    const { deps } = this.run;
    const endedAt = deps.clock.now();
    this.output?.end();
    this.span?.end(outcome, endedAt);
    deps.meters.stepEnded(this.step.def.type, instead === 'cache' ? 'cached' : outcome.kind, endedAt - this.began);
  }

  /** The provider has answered: what it asked for is known to other steps. */
  learn(outcome: AttemptResult): void {
    this.use?.learn(outcome);
  }

  /** The attempt ended without a result. */
  fail(): void {
    this.span?.end(null, this.run.deps.clock.now());
  }

  /** Nothing of the attempt is in use any more. */
  release(): void {
    this.use?.end();
  }

  /** Log lines of a step test; absent in other runs. */
  get logs(): { logs?: StepLine[] } {
    return this.lines === null ? {} : { logs: this.lines.lines };
  }

  get tenantId(): string {
    return this.run.execution.tenantId;
  }

  get context(): RunContext {
    return this.run.context;
  }

  get redactor(): SecretRedactor {
    return this.run.redactor;
  }

  get check(): ActorDeps['check'] {
    return this.run.deps.check;
  }

  get clock(): Clock {
    return this.run.deps.clock;
  }

  get http(): NodeHttp {
    const { deps } = this.run;
    return {
      request: (request) =>
        deps.http.request({ ...request, ...traced(request.headers, this.span), mayBegin: () => this.mayBegin() }),
    };
  }

  /** Connections, as HTTP, are only for attempts that may still begin an effect. */
  capabilities(): NodeCapabilities {
    const { net, mail, ...rest } = this.run.deps.capabilities(this.tenantId);
    const mayBegin = (): boolean => this.mayBegin();
    return {
      ...rest,
      net: abortableConnect(net, mayBegin),
      mail: mail === null ? null : { ...mail, net: abortableConnect(mail.net, mayBegin) },
    };
  }

  async nodeType(type: string): Promise<NodeType | undefined> {
    return this.run.deps.node(type, this.tenantId);
  }

  /** The budget is requested in the same moment in which the work begins: others may wait for their turns as well. */
  async inTurn<T>(work: () => T): Promise<Awaited<T>> {
    const { turns } = this.run.deps;
    for (let pause = turns.pause(this.tenantId); pause !== null; pause = turns.pause(this.tenantId)) {
      await pause;
      this.assertMayBegin();
    }
    return await turns.measured(this.tenantId, work, this.heldThread);
  }

  /** As `inTurn`, but at once; null, and nothing is done, when it is not its turn. */
  tryInTurn<T>(work: () => T): { value: T } | null {
    const { turns } = this.run.deps;
    return turns.tryBegin(this.tenantId) ? { value: turns.measured(this.tenantId, work, this.heldThread) } : null;
  }

  /** The idempotency key, the same for all attempts; `part` is empty for the step itself. */
  keyOf(part: string): string {
    const { deps, execution } = this.run;
    return deps.idempotencyKey(execution.id, part === '' ? this.path : `${this.path}#${part}`);
  }

  checkpoints(): Checkpoints | undefined {
    return this.run.state().checkpoints.get(this.path);
  }

  /** Records a checkpoint; resolves when it is durable. @throws ClaimLost, Aborted */
  checkpoint(made: Checkpoint): Promise<void> {
    const { path, attempt } = this;
    return this.write({ kind: 'step.noted', path, attempt, at: this.run.now(), ...made });
  }

  /** Values of those secrets that exist. */
  secrets(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    return this.run.deps.secrets(this.tenantId, names);
  }

  /** @throws DependencyUnavailable */
  connection(ref: string, wanted: ConnectionRequest): Promise<ConnectionResult> {
    return this.run.deps.connection(this.tenantId, ref, wanted, this.attemptInFlight.signal);
  }

  /** Asks to use a connection; null when the step may begin. @throws ClaimLost, Aborted */
  admit(ready: Extract<ConnectionResult, { kind: 'ready' }>): Promise<AttemptResult | null> {
    this.use ??= this.useOfConnection();
    return this.use.admit(ready);
  }

  files(): NodeFiles {
    return this.run.deps.files(this.run.execution, () => this.assertMayBegin());
  }

  skills(): NodeSkills {
    return this.run.deps.skills(this.tenantId);
  }

  knowledge(): NodeKnowledge {
    return this.run.deps.knowledge(this.run.execution, () => this.assertMayBegin());
  }

  /** Records the intent of an effect; resolves when it is durable. @throws ClaimLost, Aborted */
  intend(input: Json): Promise<void> {
    return this.writeIntent(this.intentOf(input));
  }

  /** Starts the child that a node requests, with the redacted input of the step. @throws ClaimLost, Aborted */
  startChild(request: ChildRequest, input: Json): Promise<AttemptResult> {
    const { deps, execution, state } = this.run;
    const { path } = this;
    // A step with several children derives their ids from the checkpoint keys: one may begin before the end of another
    // is recorded.
    const purpose = request.note === undefined ? path : `${path}#${request.note}`;
    const childId = nextChildId(state(), (n) => deps.childId(execution.id, purpose, n));
    const awaited = request.wait ? { child: childId } : {};
    return startChild(
      {
        parent: execution,
        path,
        childId,
        clock: deps.clock,
        attempt: this.attemptInFlight,
        traceparent: this.span?.traceparent ?? null,
        start: deps.startChild,
        intend: () => this.writeIntent({ ...this.intentOf(input), ...awaited }),
        parentEnded: () => state().ended !== null || (request.wait && !state().open.has(path)),
        cancel: () => cancelRun(this.run, childId),
        warn: (message) => deps.log(execution, 'warn', message),
      },
      request,
    );
  }

  async emit(messageId: string, signal: EmittedSignal): Promise<EmitResult> {
    this.assertMayBegin();
    return this.run.deps.emit(this.run.execution, messageId, signal);
  }

  /** Null for a step that does not stream the run's output, and without subscribers. */
  stream(): StepStream | null {
    this.output ??= this.outputStream();
    return this.output;
  }

  log(level: StepLine['level'], message: string, data?: Json): void {
    const { deps, execution } = this.run;
    if (this.lines === null) this.shared.addLine(this.path, this.attempt, level, message, data);
    else this.lines.add(level, message, data);
    deps.log(execution, level, message, data, this.step.def.id);
  }

  private outputStream(): OutputStream | null {
    const { deps, execution, context, redactor } = this.run;
    const send = streamsRunOutput(context.plan, this.step.path) ? deps.subscribers(execution) : null;
    if (send === null) return null;
    return new OutputStream({
      stepId: this.step.def.id,
      redactor,
      clock: deps.clock,
      newStreamId: () => `${this.attempt}:${Buffer.from(deps.random(8)).toString('hex')}`,
      send: (chunk) => {
        if (this.mayBegin()) send(chunk);
      },
    });
  }

  private useOfConnection(): AttemptConnection {
    const { deps, execution, context, state, onFault } = this.run;
    const { id, tenantId, epoch } = execution;
    const { path, began } = this;
    const n = this.shared.nextRequester();
    return new AttemptConnection({
      quotas: deps.quotas,
      clock: deps.clock,
      tenantId,
      asking: () => ({
        id: `${id}/${path}`,
        run: id,
        epoch,
        n,
        since: connectionWaitAt(state(), path)?.since ?? began,
      }),
      mark: this.shared.markWaiting,
      assertMayBegin: () => this.assertMayBegin(),
      isHere: deps.mayWrite,
      waitsHere: context.simulatesTime === true,
      pause: (connection, until) => deps.pauseConnection(tenantId, connection, until),
      onFault,
    });
  }

  private intentOf(input: Json): Intent {
    const { path, attempt, inputs } = this;
    return { kind: 'step.started', path, attempt, at: inputs.now, input };
  }

  /** Records an intent. The first one of an attempt is its begin, which a pause prevents. @throws RunPaused */
  private async writeIntent(entry: Intent): Promise<void> {
    if (!this.attemptInFlight.aborted && !this.intended && this.run.state().paused !== null) throw new RunPaused();
    this.intended = true;
    await this.write(entry);
  }

  private async write(entry: MidAttemptEntry): Promise<void> {
    if (!this.attemptInFlight.aborted) await this.run.record(entry);
    // Aborted or fenced while the record was being written: the effect must not begin.
    if (this.attemptInFlight.aborted) throw new Aborted();
    if (!this.run.deps.mayWrite()) throw new ClaimLost(this.run.execution.id);
  }

  /** False once the attempt was aborted, or this host may not act any more, whether or not it has noticed. */
  private mayBegin(): boolean {
    return !this.attemptInFlight.aborted && this.run.deps.mayWrite();
  }

  private assertMayBegin(): void {
    if (!this.mayBegin()) throw new Aborted();
  }

  private readonly heldThread = (tookMs: number): void => {
    const { deps, execution } = this.run;
    reportHeldThread(deps, execution, this.step.def.id, tookMs);
  };

  private readonly listenerFailed = (fault: unknown): void => {
    const { deps, execution } = this.run;
    deps.log(execution, 'error', `An abort listener failed: ${errorMessage(fault)}`, undefined, this.step.def.id);
  };
}

/** Cancels a run that a step has started. */
export function cancelRun({ deps, execution }: Pick<AttemptRun, 'deps' | 'execution'>, childId: string) {
  const now = deps.clock.now();
  return deps.store.addMessage(childId, cancelMessage(now, parentEnded(execution.id)), now);
}
