/**
 * Everything that a simulation consists of: machines with hosts, the database, the connections between them, and hints. Owns:
 * the state of machines, and the faults. Does not own: the requests of clients, and the check of the results.
 */
import { memoryLogs } from '../support/runtime/memory-logs';
import { nodes } from '../../nodes';
import { DEFAULT_FLUSH } from '../../runtime/execution/journal';
import { NO_METERS } from '../../runtime/execution/meters';
import { Host } from '../../runtime/worker/host';
import { inputChecks } from '../../runtime/execution/input-checks';
import { SecretRedactor } from '../../runtime/core/secrets/secret-redactor';
import type { Message } from '../../runtime/core/state/state';
import type { ChildStart, ChildStarted } from '../../runtime/execution/deps';
import type { Candidate, Execution, PauseRequest } from '../../runtime/core/model';
import type { PauseResult, PostResult } from '../../runtime/ports/run-store';
import { fakeFiles } from '../support/files';
import { FakeKnowledge } from '../support/knowledge';
import { fakeSkills } from '../support/skills';
import { noCapabilities } from '../support/runtime/no-capabilities';
import { execution } from '../support/runtime/records';
import { SimDatabase } from '../support/runtime/sim-store';
import { Dice, fraction, hashOf, noise } from './chance';
import { CONNECTION, effectNodes, KEY_SEPARATOR } from './effects';
import { EFFECTS, type Flow, flowNamed, flowOf } from './flows';
import { type Fate, Link } from './link';
import { type Entrance, Machine } from './machine';
import type { Mutant } from './mutants';
import { childId, LEASE_MS, type Fault, type Plan, type RequestFault } from './plan';
import { remoteStores, type Stores } from './store';
import type { Timeline } from './timeline';
import type { Trace } from './trace';
import type { Watch } from './watch';

const POLL_MS = 1_000;
/** A host that cannot start is started again after this. */
const REBOOT_MS = 500;
/** Time after which a database driver gives up waiting for an answer. */
const NO_ANSWER_MS = 6_000;

/** A position in the cluster at which processes of a host run, one after the other. */
export interface Place {
  readonly index: number;
  machine: Machine;
  host: Host;
  /** The host has started, and has not been asked to stop. */
  settled: boolean;
}

/** A run to start. */
export function freshRun(id: string, { plan }: Flow, now: number, more: Partial<Execution>): Execution {
  const { timeoutMs, hash } = plan.plan;
  const deadlineAt = timeoutMs === null ? null : now + timeoutMs;
  return execution(id, { planHash: hash, startedAt: now, deadlineAt, ...more });
}

const check = inputChecks();

export class Cluster {
  readonly places: Place[] = [];
  readonly db: SimDatabase;
  /** The clients' connection to the database, from a process that never fails. */
  readonly front: Stores;
  #calm = false;
  readonly #links: Link[] = [];
  #generation = 0;
  #ids = 0;
  readonly #counts = new Map<string, number>();
  readonly #waiting: { fault: Fault; place: number; verb: string; when: string; left: number }[] = [];
  /** Periods in which a place's requests to the database fail, or hints do not reach it. */
  readonly #faultPeriods: { place: number; requestFault: RequestFault | 'deaf'; share: number; until: number }[] = [];

  constructor(
    private readonly plan: Plan,
    readonly timeline: Timeline,
    private readonly trace: Trace,
    private readonly watch: Watch,
    private readonly mutant: Mutant,
  ) {
    this.db = new SimDatabase(() => timeline.now);
    const front = new Machine(timeline, 'front', 0);
    this.front = this.#stores(front, -1);
    plan.machines.forEach((_, index) => this.#boot(index));
    for (const act of plan.acts) if ('when' in act) this.#arm(act);
  }

  /** Places whose machine is up and whose host is not stopping. */
  get up(): Place[] {
    return this.places.filter(({ machine, settled }) => machine.up && settled);
  }

  /** True while a request that was sent during the faults is still in flight. */
  get unsettled(): boolean {
    return this.up.length < this.places.length || this.#links.some(({ slow }) => slow > 0);
  }

  /** An id for a run that gathers starts. */
  newId(): string {
    return `g${++this.#ids}`;
  }

  limit(tenantId: string): number | null {
    return this.plan.limits[tenantId] ?? null;
  }

  capacity(index: number): number {
    return this.plan.machines[index]?.capacity ?? 0;
  }

  /** From now on nothing goes wrong, and machines that are down come back. */
  calm(): void {
    this.#calm = true;
    this.#waiting.length = 0;
    this.#faultPeriods.length = 0;
    for (const place of this.places) {
      place.machine.thaw('timer');
      if (place.machine.dead) this.#boot(place.index);
    }
  }

  /** Notifies the owner of the run, or any host, that it may have messages: a hint that may be lost or arrive twice. */
  hint(id: string, owner: string | null): void {
    const key = this.#nth(`hint ${id}`);
    const owned = this.places.find(({ machine }) => owner?.startsWith(`${machine.name}.`) === true);
    const { index } = owned ?? this.#anyPlace(key);
    this.#tell(key, index, (host) => host.checkMessages(id));
  }

  /** Offers a due run to any host; it may not be due any more when the offer arrives. */
  #offer(run: Candidate): void {
    const key = this.#nth(`offer ${run.id}`);
    this.#tell(key, this.#anyPlace(key).index, (host) => host.offer(run));
  }

  /** Notifies any host that a run is due. */
  #wake(): void {
    const key = this.#nth('wake');
    this.#tell(key, this.#anyPlace(key).index, (host) => host.poke());
  }

  #anyPlace(key: string): Place {
    return this.places[Math.floor(noise(this.plan.seed, `to ${key}`) * this.places.length)] as Place;
  }

  /** Delivers a hint: most arrive soon, some late, some twice, some never. */
  #tell(key: string, index: number, hint: (host: Host) => void): void {
    const { seed, lostHints } = this.plan;
    const luck = noise(seed, `lost ${key}`);
    if (!this.#calm && luck < lostHints) return this.trace.add('bus', `${key} is lost`);
    const copies = noise(seed, `twice ${key}`) < 0.2 ? ['a', 'b'] : ['a'];
    for (const copy of copies) {
      const delay = 1 + Math.floor(noise(seed, `${copy} ${key}`) ** 8 * 3_000);
      this.timeline.after(delay, () => {
        const { machine, host } = this.places[index] as Place;
        if (this.#faultPeriodOf(index, 'deaf') !== undefined) return;
        this.trace.add('bus', `${key} for ${machine.name}`);
        machine.enter('answer', () => hint(host));
      });
    }
  }

  /** Starts a run for its parent, on this machine or elsewhere, as a service would. A time-out counts as no answer. */
  #startChild(asking: Machine, index: number, child: ChildStart): Promise<ChildStarted> {
    const { timeline, plan, watch } = this;
    const key = this.#nth(`child ${child.executionId}`);
    const place = noise(plan.seed, `near ${key}`) < 0.5 ? (this.places[index] as Place) : this.#anyPlace(key);
    const flow = flowNamed(child.workflow);
    const { executionId, tenantId, parent, depth, input } = child;
    return new Promise((resolve, reject) => {
      const answer = (settle: () => void): void => void timeline.after(1, () => asking.enter('answer', settle));
      const silence = (): void => reject(new Error(`${key}: no answer`));
      timeline.after(NO_ANSWER_MS / 2, () => asking.enter('answer', silence));
      timeline.after(1, () =>
        place.machine.enter('answer', () => {
          const fresh = freshRun(executionId, flow, place.machine.clock.now(), {
            trigger: input,
            tenantId,
            parent,
            depth,
          });
          place.host.begin(fresh, flow.plan).then(
            () => {
              watch.startAnswered(executionId);
              answer(() => resolve({ kind: 'started' }));
            },
            () => answer(silence),
          );
        }),
      );
    });
  }

  /** Posts a message as a service does. @throws Error when the database did not answer */
  async post(id: string, mail: Message): Promise<PostResult> {
    const posted = await this.front.runs.addMessage(id, mail, this.timeline.now);
    if (posted.kind === 'posted' && posted.due !== null) this.#offer(posted.due);
    else if (posted.kind === 'posted') this.hint(id, posted.owner);
    else if (posted.kind === 'known') this.hint(id, this.db.executions.get(id)?.owner ?? null);
    return posted;
  }

  /** Requests a pause or its end as a service does. @throws Error when the database did not answer */
  async requestPause(id: string, request: PauseRequest): Promise<PauseResult> {
    const posted = await this.front.runs.requestPause(id, request, this.timeline.now);
    if (posted.kind === 'posted' && posted.due !== null) this.#offer(posted.due);
    else if (posted.kind === 'posted') this.hint(id, posted.owner);
    return posted;
  }

  #boot(index: number): void {
    const { capacity, offsetMs } = this.plan.machines[index] as Plan['machines'][number];
    const machine = new Machine(this.timeline, `m${index}.${++this.#generation}`, offsetMs);
    const host = this.#host(machine, index, capacity);
    const place = { index, machine, host, settled: false };
    this.places[index] = place;
    this.trace.add(machine.name, 'boots');
    host.start().then(
      () => {
        place.settled = true;
      },
      () => {
        this.trace.add(machine.name, 'cannot start');
        this.#kill(machine, REBOOT_MS);
      },
    );
  }

  #host(machine: Machine, index: number, capacity: number): Host {
    const { plan, watch, timeline, mutant } = this;
    const stores = this.#stores(machine, index);
    const effects = effectNodes(machine, {
      seed: plan.seed,
      timeline,
      onInterrupted: (type) => mutant.word ?? EFFECTS[type],
      began: watch.began,
      ended: watch.effectOver,
      killed: (lost) => void timeline.after(0, () => this.#kill(lost, REBOOT_MS)),
    });
    const dice = new Dice(plan.seed + this.#generation);
    let lease = 0;
    let looks = 0;
    return new Host(
      {
        store: stores.runs,
        hosts: stores.hosts,
        slots: stores.slots,
        groups: stores.groups,
        windows: stores.windows,
        quotas: stores.quotas,
        pauseConnection: () => {},
        gatherings: stores.gatherings,
        outboxes: stores.outboxes,
        outputs: stores.outputs,
        logs: memoryLogs(),
        onLogged: () => {},
        limit: async (tenantId) => this.limit(tenantId),
        clock: machine.clock,
        random: (bytes) => Uint8Array.from({ length: bytes }, () => dice.between(0, 255)),
        flush: DEFAULT_FLUSH,
        meters: NO_METERS,
        tracer: null,
        node: (type) => effects.get(type) ?? nodes.types.get(type),
        capabilities: noCapabilities,
        check: (node, input, compute) => (effects.has(node.type) ? null : check(node, input, compute)),
        http: { request: () => Promise.reject(new Error('no network in a simulation')) },
        secrets: async () => new Map(),
        connection: async () => ({
          kind: 'ready',
          connection: { id: CONNECTION, connector: CONNECTION, credentials: {} },
          ...(plan.quota === null ? {} : { quota: { ...plan.quota, pausedUntil: null } }),
        }),
        files: () => fakeFiles(),
        skills: () => fakeSkills(),
        knowledge: () => new FakeKnowledge(),
        idempotencyKey: (executionId, path) => `${executionId}${KEY_SEPARATOR}${path}`,
        childId,
        startChild: (child) => this.#startChild(machine, index, child),
        emit: async () => ({ kind: 'sent', started: [], refused: [] }),
        hasSubscribers: async () => false,
        subscribers: () => null,
        publishEnd: async () => {},
        redactor: (id) => new SecretRedactor(() => id),
        log: () => {},
        onDurable: () => {},
        onWaits: () => {},
        plan: async ({ planHash }) => flowOf(planHash).plan,
        vars: async () => ({}),
        reusedEntries: async () => [],
        stepLink: (executionId, stepId, decision) => `link:${executionId}/${stepId}/${decision}`,
        onEnded: ({ id }) => this.trace.add(machine.name, `ended ${id}`),
        onPosted: (id, owner) => this.hint(id, owner),
        onReady: () => this.#wake(),
        onFault: (fault) => this.trace.add(machine.name, `fault ${String(fault)}`),
        // The event loop does not turn while virtual time passes.
        afterOthers: (goOn) => void machine.clock.after(0, goOn),
        minKeptEntries: 0,
        // Each reading of the clock takes one millisecond, so that runs pause in all places where they can.
        threadTime: () => looks++,
      },
      {
        nodeId: machine.name,
        version: 'test',
        capacity,
        leaseMs: LEASE_MS,
        pollMs: POLL_MS,
        exclusive: false,
        newHostId: () => `${machine.name}.${++lease}`,
      },
    );
  }

  #stores(machine: Machine, index: number): Stores {
    const link = new Link(machine, {
      timeline: this.timeline,
      trace: this.trace,
      fate: (verb, key) => this.#fate(index, verb, key),
      passes: (verb, when) => this.#passes(index, verb, when),
      early: (verb) => this.mutant.early?.[verb],
    });
    this.#links.push(link);
    return remoteStores(this.db, link, this.watch, (stores) => this.mutant.spoil?.(stores, this.db) ?? stores);
  }

  /** The key with a number that makes it differ from its earlier uses. */
  #nth(key: string): string {
    const n = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, n);
    return `${key} ${n}`;
  }

  #fate(place: number, verb: string, key: string): Fate {
    const { seed, rough } = this.plan;
    const name = hashOf(this.#nth(`${place} ${verb} ${key}`));
    const luck = (nth: number): number => fraction(seed, name + nth);
    const good = { reaches: true, answers: true, outlives: luck(1) < 0.5 };
    const quick = { ...good, outMs: 1 + Math.floor(luck(2) * 3), backMs: 1 + Math.floor(luck(3) * 3) };
    const straggler = this.#straggler(place, verb);
    if (straggler !== null) return { ...quick, outMs: straggler.lateMs, outlives: true };
    const requestFault = this.#calm ? null : this.#requestFaultOf(place, rough, luck);
    switch (requestFault) {
      case null:
        return quick;
      case 'slow':
        return { ...good, outMs: Math.floor(luck(2) * 800), backMs: Math.floor(luck(3) * 800) };
      case 'refused':
        return { ...quick, reaches: false, answers: false };
      case 'unanswered':
        return { ...quick, backMs: luck(4) < 0.5 ? 5 : NO_ANSWER_MS, answers: false };
      case 'late':
        return { ...quick, outMs: Math.floor(1_000 + luck(2) * 7_000), outlives: true };
    }
  }

  /** The fault, if any, that makes this request late; starts what happens to its sender. */
  #straggler(place: number, verb: string): Extract<Fault, { kind: 'straggler' }> | null {
    const waiting = this.#hit(place, verb, 'sent', (fault) => fault.kind === 'straggler')[0];
    if (waiting?.kind !== 'straggler') return null;
    this.timeline.after(0, () => this.#strike(waiting));
    return waiting;
  }

  #requestFaultOf(place: number, rough: number, luck: (nth: number) => number): Exclude<RequestFault, 'any'> | null {
    const window = this.#faultPeriodOf(place);
    if (luck(5) >= (window?.share ?? rough)) return null;
    const kind = window === undefined || window.requestFault === 'deaf' ? 'any' : window.requestFault;
    if (kind !== 'any') return kind;
    return (['slow', 'refused', 'unanswered', 'late'] as const)[Math.floor(luck(6) * 4)] ?? null;
  }

  #faultPeriodOf(place: number, requestFault?: 'deaf') {
    return this.#faultPeriods.find(
      (other) =>
        other.place === place &&
        other.until > this.timeline.now &&
        (other.requestFault === 'deaf') === (requestFault === 'deaf'),
    );
  }

  #arm(fault: Fault): void {
    const { when, machine } = fault;
    if ('at' in when) this.timeline.after(when.at, () => this.#strike(fault));
    else this.#waiting.push({ fault, place: machine, verb: when.verb, when: when.when, left: when.nth });
  }

  /** Injects the faults that wait for this request, right after it. */
  #passes(place: number, verb: string, when: 'sent' | 'done'): void {
    for (const fault of this.#hit(place, verb, when, ({ kind }) => kind !== 'straggler'))
      this.timeline.after(0, () => this.#strike(fault));
  }

  /** The faults that wait for this request. */
  #hit(place: number, verb: string, when: string, wanted: (fault: Fault) => boolean): Fault[] {
    return this.#waiting.flatMap((waiting) => {
      if (waiting.place !== place || waiting.verb !== verb || waiting.when !== when || !wanted(waiting.fault))
        return [];
      waiting.left -= 1;
      return waiting.left === 0 ? [waiting.fault] : [];
    });
  }

  #strike(fault: Fault): void {
    const place = this.places[fault.machine];
    if (this.#calm || place === undefined) return;
    const { machine, host } = place;
    if (machine.dead) return;
    this.trace.add(machine.name, `suffers ${fault.kind}`);
    switch (fault.kind) {
      case 'crash':
        return this.#kill(machine, fault.backMs);
      case 'pause':
        return this.#pause(machine, fault.forMs, fault.first);
      case 'straggler':
        if (fault.sender === 'dies') this.#kill(machine, fault.backMs);
        else if (fault.sender === 'pauses') this.#pause(machine, fault.backMs, 'timer');
        return;
      case 'stop':
        machine.enter('answer', () => {
          const gone = (): void => this.#kill(machine, this.#calm ? 0 : fault.backMs);
          place.settled = false;
          host.stop(fault.graceMs).then(gone, gone);
        });
        return;
      case 'requests':
        return void this.#faultPeriods.push({
          place: fault.machine,
          requestFault: fault.requestFault,
          share: fault.share,
          until: this.timeline.now + fault.forMs,
        });
      case 'deaf':
        return void this.#faultPeriods.push({
          place: fault.machine,
          requestFault: 'deaf',
          share: 1,
          until: this.timeline.now + fault.forMs,
        });
    }
  }

  #pause(machine: Machine, forMs: number, first: Entrance): void {
    this.watch.interrupted(machine);
    machine.freeze();
    this.timeline.after(forMs, () => machine.thaw(first));
  }

  #kill(machine: Machine, backMs: number): void {
    if (machine.dead) return;
    this.trace.add(machine.name, 'dies');
    this.watch.interrupted(machine);
    machine.kill();
    const index = this.places.findIndex((place) => place.machine === machine);
    this.timeline.after(backMs, () => {
      if (this.places[index]?.machine === machine) this.#boot(index);
    });
  }
}
