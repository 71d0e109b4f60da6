import { compile, type NodeTypeInfo, type PreparedPlan, prepare, type WorkflowDocument } from '../../../dsl';
import type { Clock } from '../../../lib/clock';
import type { Json, JsonObject } from '../../../lib/json';
import { nodes } from '../../../nodes';
import type { NodeFiles, NodeMeans, NodeSkills, NodeType, OnInterrupted, Outcome } from '../../../nodes/contract';
import type { ChildStart, ChildStarted, EffectHttp } from '../../../runtime/actor/deps';
import { FLUSH } from '../../../runtime/actor/journal';
import { NO_METERS } from '../../../runtime/actor/meters';
import type { Said } from '../../../runtime/actor/speech';
import type { NewExecution } from '../../../runtime/host/deps';
import { Host } from '../../../runtime/host/host';
import { inputChecks } from '../../../runtime/host/registry';
import { inheritedEntries } from '../../../runtime/host/preload';
import { Veil } from '../../../runtime/rules/veil';
import type { Entry } from '../../../runtime/record/entry';
import type { Mail } from '../../../runtime/record/state';
import type { Execution, Posted } from '../../../runtime/store/port';
import { fakeFiles } from '../files';
import { FakeKnowledge } from '../knowledge';
import { fakeSkills } from '../skills';
import { builtIn } from '../vocabulary';
import { ManualClock } from '../manual-clock';
import { noMeans } from './means';
import { type CrashPoint, SimConnection, SimDatabase } from './sim-store';

/** The outside world of a test: what its effects did, and how often. */
export interface Outside {
  /** How often the effect of each step ran, by its path. */
  readonly ran: Map<string, number>;
  /** The inputs that effects saw. */
  readonly seen: { path: string; input: JsonObject; key: string }[];
  /** Paths of the effects that were told to stop. */
  readonly aborted: string[];
}

export const LEASE_MS = 4_000;

/** Step types that the world counts; they differ in what an interruption means. `think` has no effect outside. */
const EFFECTS = {
  effect: 'retry',
  effect_once: 'fail',
  effect_ask: 'ask',
  think: 'retry',
} as const satisfies Record<string, OnInterrupted>;
const EFFECT_TYPES = Object.keys(EFFECTS) as (keyof typeof EFFECTS)[];

/** Of all worlds: what it compiles of a step type does not depend on the world. */
const check = inputChecks();

/** One simulated machine room: a database, a clock, effects that are counted, and hosts that can die. */
export class World {
  readonly clock = new ManualClock();
  readonly db = new SimDatabase(() => this.clock.now());
  readonly outside: Outside = { ran: new Map(), seen: [], aborted: [] };
  readonly secrets = new Map<string, string>();
  readonly plans = new Map<string, PreparedPlan>();
  readonly hosts: { host: Host; connection: SimConnection }[] = [];
  /** What a step of the type `sub_workflow` may name. */
  readonly workflows = new Map<string, PreparedPlan>();
  /** What an effect of a path answers at its nth run (from 1); else done with `{ n }`. */
  readonly answers = new Map<string, (n: number, input: JsonObject) => Outcome | Promise<Outcome>>();
  /** What a part of a step (see parts.ts) comes to at its nth time (from 1); else its name. */
  readonly parts = new Map<string, (n: number) => Json | Promise<Json>>();
  /** The network of all hosts, what steps are lent, and step types beside the built-in ones; a test may set them. */
  http: EffectHttp = { request: () => Promise.reject(new Error('no network in a simulation')) };
  means: NodeMeans = noMeans();
  readonly files: NodeFiles = fakeFiles();
  readonly skills: NodeSkills = fakeSkills();
  readonly knowledge = new FakeKnowledge();
  readonly more = new Map<string, NodeType>();
  /** What hosts reported: runs that ended, in order, and faults. */
  readonly endings: string[] = [];
  readonly faults: unknown[] = [];
  /** How many runs of a tenant may be in memory; a test may let it fail or wait. */
  limitOf = async (_tenantId: string): Promise<number | null> => null;
  /** Whether somebody listens to what steps say as it comes, and what he has heard. */
  audience = false;
  readonly said: Said[] = [];
  /** How often hosts said that there is work for others. */
  announced = 0;
  /** Whether somebody wants to hear of the ends of runs. */
  listening = false;
  /** What is done when the end of a run is told; a test may let it fail. */
  announce = async (_executionId: string): Promise<void> => {};
  /** What happens when one says so. */
  onReady = (): void => {};
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
      preload: null,
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
        outputs: connection.outputs,
        clock,
        random: (bytes) => new Uint8Array(bytes).fill(128),
        flush: FLUSH,
        meters: NO_METERS,
        tracer: null,
        node: (type) => made.get(type) ?? this.more.get(type) ?? nodes.types.get(type),
        means: () => this.means,
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
        heard: async () => this.listening,
        audience: () => (this.audience ? (said) => void this.said.push(said) : null),
        announce: async (id) => this.announce(id),
        veil: (id) => new Veil(() => codeOf(id)),
        log: () => {},
        onDurable: () => {},
        plan: ({ planHash }) => this.readPlan(planHash),
        vars: (tenantId) => this.readVars(tenantId),
        inherited: async (execution) => {
          const earlier = this.db.executions.get(execution.preload?.executionId ?? '') as Execution;
          return inheritedEntries(connection.runs, execution, this.#planOf(execution), this.#planOf(earlier), codeOf);
        },
        approvalLink: (executionId, stepId, decision) => `link:${executionId}/${stepId}/${decision}`,
        onEnded: ({ id }) => void this.endings.push(id),
        onPosted: (executionId) => this.#hint(executionId),
        onReady: () => {
          this.announced += 1;
          this.onReady();
        },
        onFault: (fault) => void this.faults.push(fault),
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
    for (const { host, connection } of this.hosts) if (!connection.dead) host.noticed(executionId);
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
      category: 'test',
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
  async send(id: string, mail: Pick<Mail, 'id' | 'name'> & Partial<Mail>): Promise<Posted> {
    const whole: Mail = { data: {}, by: null, at: this.clock.now(), ...mail };
    const posted = await this.client.runs.post(id, whole, this.clock.now());
    for (const { host, connection } of this.hosts)
      if (!connection.dead && !host.deliver(id, posted.kind === 'known' ? posted.mail : whole)) host.poke();
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
