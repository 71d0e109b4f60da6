import { memoryLogs } from './memory-logs';
import { compile, type NodeTypeInfo, type PreparedPlan, prepare, type WorkflowDocument } from '../../../dsl';
import type { Clock } from '../../../lib/clock';
import type { Json, JsonObject } from '../../../lib/json';
import { nodes } from '../../../nodes';
import type {
  NodeFiles,
  NodeCapabilities,
  NodeSkills,
  NodeType,
  OnInterrupted,
  Outcome,
} from '../../../nodes/contract';
import type { ChildStart, ChildStarted, EffectHttp } from '../../../runtime/execution/deps';
import { DEFAULT_FLUSH } from '../../../runtime/execution/journal';
import { NO_METERS } from '../../../runtime/execution/meters';
import type { StreamChunk } from '../../../runtime/execution/output-stream';
import type { NewExecution } from '../../../runtime/worker/deps';
import { Host } from '../../../runtime/worker/host';
import { inputChecks } from '../../../runtime/execution/input-checks';
import { reusedEntries } from '../../../runtime/worker/reused-entries';
import { SecretRedactor } from '../../../runtime/core/secrets/secret-redactor';
import type { Entry } from '../../../runtime/core/entries/entry';
import type { Message } from '../../../runtime/core/state/state';
import type { Execution, PauseRequest } from '../../../runtime/core/model';
import type { PauseResult, PostResult } from '../../../runtime/ports/run-store';
import { fakeFiles } from '../files';
import { FakeKnowledge } from '../knowledge';
import { fakeSkills } from '../skills';
import { builtIn } from '../vocabulary';
import { ManualClock } from '../manual-clock';
import { noCapabilities } from './no-capabilities';
import { type CrashPoint, SimConnection, SimDatabase } from './sim-store';

/** The side effects of a test, and how often they ran. */
export interface Outside {
  /** How often the effect of each step ran, by its path. */
  readonly ran: Map<string, number>;
  /** The inputs that effects saw. */
  readonly seen: { path: string; input: JsonObject; key: string }[];
  /** Paths of the effects that were aborted. */
  readonly aborted: string[];
}

export const LEASE_MS = 4_000;

/** Step types that the world counts; they differ in their recovery policy. `think` has no side effect. */
const EFFECTS = {
  effect: 'retry',
  effect_once: 'fail',
  effect_ask: 'ask',
  think: 'retry',
} as const satisfies Record<string, OnInterrupted>;
const EFFECT_TYPES = Object.keys(EFFECTS) as (keyof typeof EFFECTS)[];

/** Shared by all worlds: compiled input checks do not depend on the world. */
const check = inputChecks();

/** A simulated cluster: a database, a clock, effects that are counted, and hosts that can die. */
export class World {
  readonly logs = memoryLogs();
  readonly clock = new ManualClock();
  readonly db = new SimDatabase(() => this.clock.now());
  readonly outside: Outside = { ran: new Map(), seen: [], aborted: [] };
  readonly secrets = new Map<string, string>();
  readonly plans = new Map<string, PreparedPlan>();
  readonly hosts: { host: Host; connection: SimConnection }[] = [];
  /** Workflows that a `sub_workflow` step may name. */
  readonly workflows = new Map<string, PreparedPlan>();
  /** The outcome of an effect by path and run number (from 1); by default done with `{ n }`. */
  readonly answers = new Map<string, (n: number, input: JsonObject) => Outcome | Promise<Outcome>>();
  /** The result of a sub-step (see parts.ts) at its nth run (from 1); by default its name. */
  readonly parts = new Map<string, (n: number) => Json | Promise<Json>>();
  /** The network of all hosts, the capabilities of steps, and additional step types; a test may set them. */
  http: EffectHttp = { request: () => Promise.reject(new Error('no network in a simulation')) };
  means: NodeCapabilities = noCapabilities();
  readonly files: NodeFiles = fakeFiles();
  readonly skills: NodeSkills = fakeSkills();
  readonly knowledge = new FakeKnowledge();
  readonly more = new Map<string, NodeType>();
  /** Reports of hosts: runs that ended, in order, and faults. */
  readonly endings: string[] = [];
  readonly faults: unknown[] = [];
  /** How many runs of a tenant may be in memory; a test may let it fail or wait. */
  limitOf = async (_tenantId: string): Promise<number | null> => null;
  /** Whether the output of steps has a subscriber, and the chunks that it received. */
  audience = false;
  readonly chunks: StreamChunk[] = [];
  /** How often hosts announced work for others. */
  announced = 0;
  /** Whether the ends of runs have a subscriber. */
  listening = false;
  /** Called to announce the end of a run; a test may let it fail. */
  announce = async (_executionId: string): Promise<void> => {};
  /** Called when a host announces work. */
  onReady = (): void => {};
  /** The clock by which hosts measure the time of runs on the main thread. A test may advance it. */
  threadTime = (): number => 0;
  /** How hosts read plans; a test may let it fail or wait. */
  readPlan = async (hash: string): Promise<PreparedPlan> => {
    const plan = this.plans.get(hash);
    if (plan === undefined) throw new Error('There is no such plan');
    return plan;
  };
  /** How hosts read the constants of a tenant; a test may let it answer, fail or wait. */
  readVars = async (_tenantId: string): Promise<JsonObject> => ({});
  /** How the host of a number (from 1) reads secrets; a test may let it fail. */
  readSecrets = async (names: readonly string[], _host: number): Promise<Map<string, string>> =>
    new Map(names.flatMap((name) => (this.secrets.has(name) ? [[name, this.secrets.get(name) as string]] : [])));
  /** Writes without any crash: for messages and looks from outside. */
  readonly client = new SimConnection(this.db);
  #hostNumber = 0;

  plan(steps: Json[], rest: JsonObject = {}): PreparedPlan {
    const document = { id: 'test', trigger: { type: 'manual' }, steps, ...rest } as unknown as WorkflowDocument;
    const made = EFFECT_TYPES.map((type): [string, NodeTypeInfo] => [
      type,
      { type, version: 1, kind: 'work', inputSchema: {} },
    ]);
    const types = new Map([...builtIn, ...made]);
    const prepared = prepare(compile(document, types));
    this.plans.set(prepared.plan.hash, prepared);
    return prepared;
  }

  execution(id: string, plan: PreparedPlan, trigger: JsonObject = {}, more: Partial<NewExecution> = {}): NewExecution {
    return {
      id,
      tenantId: 'tenant',
      workflowId: 'workflow',
      workflowName: 'Test',
      planHash: plan.plan.hash,
      env: 'dev',
      status: 'running',
      triggerType: 'manual',
      trigger,
      inputKey: null,
      output: null,
      error: null,
      response: null,
      waiting: [],
      retryOf: null,
      resumeFrom: null,
      parent: null,
      depth: 0,
      concurrency: null,
      requestId: null,
      startedAt: this.clock.now(),
      deadlineAt: plan.plan.timeoutMs === null ? null : this.clock.now() + plan.plan.timeoutMs,
      endedAt: null,
      steps: 0,
      tokens: 0,
      costUsd: 0,
      ...more,
    };
  }

  /** A host on its own connection; it dies, timers and all, at the crash point. */
  host(
    crash: CrashPoint | null = null,
    options: { capacity?: number } = {},
  ): { host: Host; connection: SimConnection } {
    const connection = new SimConnection(this.db, crash);
    const clock = mortal(this.clock, connection);
    const made = new Map<string, NodeType>(EFFECT_TYPES.map((type) => [type, this.#node(type, connection)]));
    const number = ++this.#hostNumber;
    let generation = 0;
    const codeOf = (id: string): string => Buffer.from(id).toString('hex').slice(0, 24);
    const host = new Host(
      {
        store: connection.runs,
        hosts: connection.hosts,
        slots: connection.slots,
        limit: (tenantId) => this.limitOf(tenantId),
        outboxes: connection.outboxes,
        groups: connection.groups,
        windows: connection.windows,
        quotas: connection.quotas,
        pauseConnection: () => {},
        gatherings: connection.gatherings,
        outputs: connection.outputs,
        logs: this.logs,
        onLogged: () => {},
        clock,
        random: (bytes) => new Uint8Array(bytes).fill(128),
        flush: DEFAULT_FLUSH,
        meters: NO_METERS,
        tracer: null,
        node: (type) => made.get(type) ?? this.more.get(type) ?? nodes.types.get(type),
        capabilities: () => this.means,
        check,
        http: { request: (request) => (connection.dead ? new Promise<never>(() => {}) : this.http.request(request)) },
        secrets: async (_tenant, names) => this.readSecrets(names, number),
        connection: async (_tenant, ref) => ({
          kind: 'refused',
          error: { code: 'unknown_connection', message: `There is no connection ${ref}` },
        }),
        files: () => this.files,
        skills: () => this.skills,
        knowledge: () => this.knowledge,
        idempotencyKey: (executionId, path) => `${executionId}/${path}`,
        childId: (executionId, path, n) => `${executionId}>${path}#${n}`,
        startChild: (child) => this.startChild(host, child),
        emit: async () => ({ kind: 'sent', started: [], refused: [] }),
        hasSubscribers: async () => this.listening,
        subscribers: () => (this.audience ? (chunk) => void this.chunks.push(chunk) : null),
        publishEnd: async (id) => this.announce(id),
        redactor: (id) => new SecretRedactor(() => codeOf(id)),
        log: () => {},
        onDurable: () => {},
        onWaits: () => {},
        plan: ({ planHash }) => this.readPlan(planHash),
        vars: (tenantId) => this.readVars(tenantId),
        reusedEntries: async (execution) => {
          const earlier = this.db.executions.get(execution.resumeFrom?.executionId ?? '') as Execution;
          return reusedEntries(connection.runs, execution, this.#planOf(execution), this.#planOf(earlier), codeOf);
        },
        stepLink: (executionId, stepId, decision) => `link:${executionId}/${stepId}/${decision}`,
        onEnded: ({ id }) => void this.endings.push(id),
        onPosted: (executionId) => this.#hint(executionId),
        onReady: () => {
          this.announced += 1;
          this.onReady();
        },
        onFault: (fault) => void this.faults.push(fault),
        threadTime: () => this.threadTime(),
        minKeptEntries: 0,
      },
      {
        nodeId: `node-${number}`,
        version: 'test',
        capacity: options.capacity ?? 100,
        leaseMs: LEASE_MS,
        pollMs: 1_000,
        exclusive: false,
        newHostId: () => `host-${number}.${++generation}`,
      },
    );
    this.hosts.push({ host, connection });
    return { host, connection };
  }

  /** As the services do it: on the host that asks. A test may let it fail, or lose its answer. */
  startChild = async (host: Host, child: ChildStart): Promise<ChildStarted> => {
    const plan = this.workflows.get(child.workflow);
    if (plan === undefined) {
      const error = { code: 'workflow_unknown', message: `There is no workflow ${child.workflow}` };
      return { kind: 'refused', error, retryable: false };
    }
    const { executionId, parent, depth } = child;
    const more = { parent, depth, triggerType: 'sub_workflow' };
    await host.begin(this.execution(executionId, plan, child.input, more), plan);
    return { kind: 'started' };
  };

  /** Tells all hosts that live of mail. */
  #hint(executionId: string): void {
    for (const { host, connection } of this.hosts) if (!connection.dead) host.checkMessages(executionId);
  }

  #planOf(execution: Execution): PreparedPlan {
    return this.plans.get(execution.planHash) as PreparedPlan;
  }

  #node(type: keyof typeof EFFECTS, connection: SimConnection): NodeType {
    return {
      type,
      version: 1,
      title: type,
      description: '',
      category: 'Custom',
      effect: type === 'think' ? 'pure' : 'write',
      onInterrupted: EFFECTS[type],
      input: {},
      output: {},
      run: async ({ input, idempotencyKey, signal }) => {
        if (connection.dead) return new Promise<never>(() => {});
        const path = idempotencyKey.slice(idempotencyKey.indexOf('/') + 1);
        const n = (this.outside.ran.get(path) ?? 0) + 1;
        this.outside.ran.set(path, n);
        this.outside.seen.push({ path, input, key: idempotencyKey });
        signal.addEventListener('abort', () => this.outside.aborted.push(path), { once: true });
        const answer = this.answers.get(path);
        return answer === undefined ? { kind: 'done', output: { ...input, effect: path } } : answer(n, input);
      },
    };
  }

  /** Sends a message as a service does: stores it, then tells the hosts that live. */
  async send(id: string, mail: Pick<Message, 'id' | 'name'> & Partial<Message>): Promise<PostResult> {
    const whole: Message = { data: {}, by: null, at: this.clock.now(), ...mail };
    const posted = await this.client.runs.addMessage(id, whole, this.clock.now());
    for (const { host, connection } of this.hosts)
      if (!connection.dead && !host.deliver(id, posted.kind === 'known' ? posted.message : whole)) host.poke();
    return posted;
  }

  /** Requests a pause or its end as a service does. */
  async request(id: string, kind: PauseRequest['kind'], reason: string | null = null): Promise<PauseResult> {
    const rev = (this.row(id).pause?.rev ?? 0) + 1;
    const request: PauseRequest = { kind, rev, at: this.clock.now(), by: 'ann', reason };
    const posted = await this.client.runs.requestPause(id, request, this.clock.now());
    this.#hint(id);
    return posted;
  }

  /** The history of a run, as stored. */
  entries(id: string): Entry[] {
    const records = (this.db.journals.get(id) ?? []).toSorted((a, b) => a.n - b.n);
    return records.flatMap((record) => JSON.parse(record.json) as Entry[]);
  }

  row(id: string): Execution {
    const execution = this.db.executions.get(id);
    if (execution === undefined) throw new Error(`There is no run ${id}`);
    return execution;
  }

  ended(id: string): boolean {
    const execution = this.db.executions.get(id);
    return execution !== undefined && execution.status !== 'running';
  }
}

/** A clock whose timers never fire again once the process has died. */
const mortal = (clock: Clock, connection: SimConnection): Clock => ({
  now: () => clock.now(),
  after: (delayMs, fire) => clock.after(delayMs, () => void (connection.dead || fire())),
});
