import type { JournalRecord } from '../../../runtime/core/entries/entry';
import { bySentAt, CANCEL, type Message } from '../../../runtime/core/state/state';
import { type Candidate, type Execution, NEVER_MS } from '../../../runtime/core/model';
import type { HostFigures, HostInfo, HostStore } from '../../../runtime/ports/host-store';
import type { RunStore } from '../../../runtime/ports/run-store';
import type { SlotPool, SlotStore } from '../../../runtime/ports/slot-store';
import type { GroupState, GroupStore } from '../../../runtime/ports/group-store';
import type { OutboxStore } from '../../../runtime/ports/outbox-store';
import type { KeptOutput, OutputStore } from '../../../runtime/ports/output-store';
import { headStartMs } from '../../../runtime/core/decide/priority';
import type { StartWindow, WindowStore } from '../../../runtime/ports/window-store';
import type { GatheringStore, StartMark } from '../../../runtime/ports/gathering-store';
import type { QuotaStore, StoredQuota } from '../../../runtime/ports/quota-store';
import { byRank, simGatherings, simGroups, simOutboxes, simOutputs, simQuotas, simWindows } from './sim-groups';

interface SimHost {
  readonly info: HostInfo;
  readonly startedAt: number;
  leaseUntil: number;
  state: 'alive' | 'dead' | 'left';
  figures: HostFigures;
}

const candidateOf = (run: Execution, since: number): Candidate => ({
  id: run.id,
  tenantId: run.tenantId,
  epoch: run.epoch,
  since,
  deadlineAt: run.cleanupDeadline ?? run.deadlineAt,
  cancelling: run.cancelling && run.cleanupDeadline === null,
  parked: false,
  claims: run.claims,
  ...(run.rank === undefined ? {} : { headStartMs: headStartMs(run) }),
});

/** The contents of the database, which survive a crash. */
export class SimDatabase {
  readonly executions = new Map<string, Execution>();
  readonly journals = new Map<string, JournalRecord[]>();
  readonly mail = new Map<string, Message[]>();
  /** Messages that are marked as taken. */
  readonly taken = new Set<string>();
  readonly payloads = new Map<string, string>();
  readonly hosts = new Map<string, SimHost>();
  readonly ledgers = new Map<string, SlotPool>();
  readonly groups = new Map<string, GroupState>();
  readonly windows = new Map<string, StartWindow>();
  readonly quotas = new Map<string, StoredQuota>();
  readonly marked = new Set<string>();
  readonly slotRuns = new Map<string, string>();
  readonly startMarks = new Map<string, StartMark>();
  readonly outputs = new Map<string, KeptOutput>();

  constructor(readonly now: () => number) {}
}

/** When a process dies: around its `write`th write (1 is the first), before it reaches the database or after. */
export interface CrashPoint {
  readonly write: number;
  readonly when: 'before' | 'after';
}

const never = <T>(): Promise<T> => new Promise<T>(() => {});

/** One process's connection to the simulated database. After a crash, requests are never answered. */
export class SimConnection {
  writes = 0;
  /** The verb of each write, in order. */
  readonly log: string[] = [];
  /** Whether a verb fails now: before it reached the database, or after, so that only its answer is lost. */
  fails: (verb: string) => 'before' | 'after' | null = () => null;
  readonly #held = new Map<string, Promise<void>>();
  #dead = false;

  constructor(
    private readonly db: SimDatabase,
    private readonly crash: CrashPoint | null = null,
    private readonly onCrash: () => void = () => {},
  ) {}

  get dead(): boolean {
    return this.#dead;
  }

  kill(): void {
    this.#dead = true;
    this.onCrash();
  }

  /** From now on the verb's requests wait before they reach the database, until the returned function is called. */
  hold(verb: string): () => void {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.#held.set(verb, held);
    return () => {
      if (this.#held.get(verb) === held) this.#held.delete(verb);
      release();
    };
  }

  async #read<T>(verb: string, read: () => T): Promise<T> {
    await (this.#held.get(verb) ?? Promise.resolve());
    if (this.#dead) return never<T>();
    const failure = this.fails(verb);
    if (failure === 'before') throw new Error(`${verb}: no connection`);
    const result = structuredClone(read());
    if (failure === 'after') throw new Error(`${verb}: the answer was lost`);
    return result;
  }

  async #write<T>(verb: string, write: () => T): Promise<T> {
    await (this.#held.get(verb) ?? Promise.resolve());
    if (this.#dead) return never<T>();
    const failure = this.fails(verb);
    if (failure === 'before') throw new Error(`${verb}: no connection`);
    this.writes += 1;
    this.log.push(verb);
    const dies = this.crash?.write === this.writes;
    if (dies && this.crash?.when === 'before') {
      this.kill();
      return never<T>();
    }
    const result = structuredClone(write());
    if (failure === 'after') throw new Error(`${verb}: the answer was lost`);
    if (!dies) return result;
    this.kill();
    return never<T>();
  }

  readonly runs: RunStore = {
    insert: (execution, tail = null) =>
      this.#write('insert', () => {
        if (this.db.executions.has(execution.id)) return 'exists';
        if (tail !== null) this.#record(tail);
        this.db.executions.set(execution.id, structuredClone(execution));
        return 'inserted';
      }),
    load: (id) => this.#read('load', () => this.db.executions.get(id) ?? null),
    append: (record) =>
      this.#write('append', () => {
        const journal = this.db.journals.get(record.executionId) ?? [];
        const holder = journal.find((other) => other.n === record.n);
        if (holder !== undefined) return { kind: 'taken', epoch: holder.epoch, host: holder.host };
        // Accepted by the database, but not part of the history.
        if (
          this.db.executions.get(record.executionId)?.status !== 'running' &&
          this.db.executions.has(record.executionId)
        )
          return { kind: 'appended' };
        this.#record(record);
        return { kind: 'appended' };
      }),
    journal: (id, from = 0, limit = Number.POSITIVE_INFINITY) =>
      this.#read('journal', () =>
        (this.db.journals.get(id) ?? [])
          .filter((record) => record.n >= from)
          .sort((a, b) => a.n - b.n)
          .slice(0, limit),
      ),
    end: (claim, ending, tail) =>
      this.#write('end', () => {
        const execution = this.#owned(claim);
        if (execution === null) return this.#endedBy(claim);
        if (tail !== null) this.#last(tail);
        const { startedAt: _, ...fields } = ending;
        this.#put({ ...execution, ...fields, waiting: [], owner: null, wakeAt: null, parked: false });
        return true;
      }),
    release: (claim, to) =>
      this.#write('release', () => {
        const execution = this.#owned(claim);
        if (execution === null) return 'lost';
        if (execution.messageSeq !== to.messageSeq) return 'new_message';
        const {
          wakeAt,
          waiting,
          cleanupDeadline: closesBy = execution.cleanupDeadline,
          size = execution.size,
          failed = false,
        } = to;
        const claims = failed ? execution.claims : 0;
        const pause = to.cleanupDeadline === undefined ? execution.pause : null;
        this.#put({ ...execution, owner: null, wakeAt, waiting, cleanupDeadline: closesBy, size, claims, pause });
        return 'released';
      }),
    showWaits: (claim, waiting) =>
      this.#write('showWaits', () => {
        const execution = this.#owned(claim);
        if (execution !== null) this.#put({ ...execution, waiting: [...waiting] });
        return execution !== null;
      }),
    due: (now, limit) => this.#read('due', () => this.#due(now).slice(0, limit)),
    dueByTenant: (tenantId, now, each) =>
      this.#read('dueByTenant', () => {
        const later = this.#due(now).filter((run) => run.tenantId > tenantId);
        const tenants = [...new Set(later.map((run) => run.tenantId))].sort();
        return {
          due: tenants.flatMap((tenant) => later.filter((run) => run.tenantId === tenant).slice(0, each)),
          last: null,
        };
      }),
    parkedOf: (tenantId, limit) =>
      this.#read('parkedOf', () =>
        [...this.db.executions.values()]
          .filter((run) => run.parked && run.tenantId === tenantId)
          .sort(byRank)
          .slice(0, limit)
          .map((run) => ({ ...candidateOf(run, run.startedAt), parked: true })),
      ),
    parkedTenants: (after, limit) =>
      this.#read('parkedTenants', () => {
        const parked = [...this.db.executions.values()].filter((run) => run.parked && run.tenantId > after);
        return [...new Set(parked.map((run) => run.tenantId))].sort().slice(0, limit);
      }),
    claim: (host, picks) =>
      this.#write('claim', () =>
        picks.flatMap(({ id, tenantId, epoch }) => {
          const execution = this.#unowned(id, tenantId, epoch);
          if (execution === null) return [];
          const claimed: Execution = {
            ...execution,
            owner: host,
            epoch: epoch + 1,
            claims: execution.claims + 1,
            wakeAt: null,
            waiting: [],
            parked: false,
          };
          this.#put(claimed);
          return [claimed];
        }),
      ),
    resetClaims: (claims) =>
      this.#write('resetClaims', () => {
        for (const claim of claims) {
          const execution = this.#owned(claim);
          if (execution !== null) this.#put({ ...execution, claims: 0 });
        }
      }),
    park: (picks, now) =>
      this.#write('park', () => {
        for (const { id, tenantId, epoch } of picks) {
          const execution = this.#unowned(id, tenantId, epoch);
          if (execution === null || candidateOf(execution, now).cancelling) continue;
          const waiting = [{ step_id: null, kind: 'slot', name: null, since: now, until: null } as const];
          this.#put({
            ...execution,
            parked: true,
            wakeAt: execution.cleanupDeadline ?? execution.deadlineAt ?? NEVER_MS,
            waiting,
          });
        }
      }),
    owned: (host) =>
      this.#read('owned', () =>
        [...this.db.executions.values()]
          .filter(({ status, owner }) => status === 'running' && owner === host)
          .map(({ id, epoch, messageSeq }) => ({ id, epoch, messageSeq })),
      ),
    nextWake: (now) =>
      this.#read('nextWake', () => {
        const times = [...this.db.executions.values()].flatMap(({ status, owner, wakeAt }) =>
          status === 'running' && owner === null && wakeAt !== null && wakeAt > now ? [wakeAt] : [],
        );
        return times.length === 0 ? null : Math.min(...times);
      }),
    addMessage: (executionId, mail, now) =>
      this.#write('post', () => {
        const execution = this.db.executions.get(executionId);
        const box = this.db.mail.get(executionId) ?? [];
        const known = box.find((other) => other.id === mail.id);
        if (execution?.status === 'running') {
          this.#put({
            ...execution,
            messageSeq: execution.messageSeq + 1,
            signals: execution.signals + (known === undefined && !mail.name.startsWith('$') ? 1 : 0),
            wakeAt: execution.wakeAt === null ? null : Math.min(execution.wakeAt, now),
            ...(mail.name === CANCEL && { cancelling: true, parked: false, pause: null }),
          });
        }
        if (known !== undefined) return { kind: 'known', message: known, owner: execution?.owner ?? null };
        if (execution === undefined) return { kind: 'absent' };
        if (execution.status !== 'running') return { kind: 'ended' };
        this.db.mail.set(executionId, [...box, mail]);
        const cancelling = execution.cancelling || mail.name === CANCEL;
        const waits = execution.owner === null && (!execution.parked || cancelling);
        const since = Math.min(execution.wakeAt ?? now, now);
        const due = waits ? candidateOf({ ...execution, cancelling }, since) : null;
        return { kind: 'posted', owner: execution.owner, due };
      }),
    requestPause: (executionId, request, now) =>
      this.#write('pause', () => {
        const execution = this.db.executions.get(executionId);
        const isOpen = execution?.status === 'running' && !execution.cancelling && execution.cleanupDeadline === null;
        if (!isOpen || (execution.pause?.rev ?? 0) !== request.rev - 1) return { kind: 'refused' };
        this.#put({
          ...execution,
          pause: request,
          messageSeq: execution.messageSeq + 1,
          wakeAt: execution.wakeAt === null ? null : Math.min(execution.wakeAt, now),
        });
        const since = Math.min(execution.wakeAt ?? now, now);
        const due = execution.owner === null && !execution.parked ? candidateOf(execution, since) : null;
        return { kind: 'posted', owner: execution.owner, due };
      }),
    findMessage: (executionId, id) =>
      this.#read('findMail', () => (this.db.mail.get(executionId) ?? []).find((mail) => mail.id === id) ?? null),
    openRun: async (id, from) => {
      const [records, { messages }] = await Promise.all([this.runs.journal(id, from), this.runs.messages(id)]);
      return { records, messages };
    },
    markConsumed: (executionId, ids) =>
      this.#write('markTaken', () => ids.forEach((id) => void this.db.taken.add(`${executionId}:${id}`))),
    recountSignals: (executionId, known) =>
      this.#write('recount', () => {
        const unconsumed = (this.db.mail.get(executionId) ?? []).filter(
          ({ id, name }) => !this.db.taken.has(`${executionId}:${id}`) && !name.startsWith('$'),
        );
        const execution = this.db.executions.get(executionId);
        if (execution?.signals === known)
          this.db.executions.set(executionId, { ...execution, signals: unconsumed.length });
        return unconsumed.length;
      }),
    messages: (executionId) =>
      this.#read('mail', () => ({
        messages: (this.db.mail.get(executionId) ?? [])
          .filter(({ id }) => !this.db.taken.has(`${executionId}:${id}`))
          .sort(bySentAt),
        pause: this.db.executions.get(executionId)?.pause ?? null,
        messageSeq: this.db.executions.get(executionId)?.messageSeq ?? 0,
      })),
    putPayload: (executionId, hash, json) =>
      this.#write('payload', () => void this.db.payloads.set(`${executionId}:${hash}`, json)),
    getPayloads: (executionId, hashes) =>
      this.#read(
        'getPayloads',
        () =>
          new Map(
            hashes.flatMap((hash) =>
              this.db.payloads.has(`${executionId}:${hash}`)
                ? [[hash, this.db.payloads.get(`${executionId}:${hash}`) as string]]
                : [],
            ),
          ),
      ),
  };

  /** Lease traffic is not counted: its moments depend on time, not on the run. */
  readonly hosts: HostStore = {
    register: (info, leaseMs) =>
      this.#read('register', () => {
        const now = this.db.now();
        const figures = { draining: false, running: 0, waiting: 0, lagMs: 0 };
        this.db.hosts.set(info.id, { info, startedAt: now, leaseUntil: now + leaseMs, state: 'alive', figures });
      }),
    renew: (id, leaseMs, figures) =>
      this.#read('renew', () => {
        const host = this.db.hosts.get(id);
        if (host?.state !== 'alive') return false;
        Object.assign(host, { leaseUntil: this.db.now() + leaseMs, figures });
        return true;
      }),
    expireHosts: (by, now, all) =>
      this.#read('expire', () => {
        for (const [id, host] of this.db.hosts) {
          if (id !== by && host.state === 'alive' && (all || host.leaseUntil < this.db.now())) host.state = 'dead';
        }
        const runs = this.#free((owner) => ['dead', 'left'].includes(this.db.hosts.get(owner)?.state ?? ''), now);
        const living = [...this.db.hosts].filter(([, { state }]) => state === 'alive');
        const others = living.filter(([id]) => id !== by).map(([, { leaseUntil }]) => leaseUntil);
        return {
          runs,
          alive: living
            .filter(([, { figures }]) => !figures.draining)
            .map(([id]) => id)
            .sort(),
          lapsesInMs: others.length === 0 ? null : Math.max(0, Math.min(...others) - this.db.now()),
        };
      }),
    leave: (id, now) =>
      this.#read('leave', () => {
        this.#free((owner) => owner === id, now, { claims: 0 });
        const host = this.db.hosts.get(id);
        if (host !== undefined) host.state = 'left';
      }),
    rows: () =>
      this.#read('rows', () =>
        [...this.db.hosts.values()]
          .map(({ info, startedAt, leaseUntil, state, figures: { draining, ...figures } }) => {
            const lapsed = state === 'alive' && leaseUntil < this.db.now();
            const shown = lapsed ? 'dead' : state === 'alive' && draining ? 'draining' : state;
            return { ...info, ...figures, startedAt, leaseUntil, state: shown } as const;
          })
          .sort((a, b) => b.startedAt - a.startedAt),
      ),
  };

  get outboxes(): OutboxStore {
    return simOutboxes(this.db, this.#read.bind(this), this.#write.bind(this));
  }

  get outputs(): OutputStore {
    return simOutputs(this.db, this.#read.bind(this), this.#write.bind(this));
  }

  get groups(): GroupStore {
    return simGroups(this.db, this.#read.bind(this), this.#write.bind(this));
  }

  get quotas(): QuotaStore {
    return simQuotas(this.db, this.#read.bind(this), this.#write.bind(this));
  }

  get windows(): WindowStore {
    return simWindows(this.db, this.#read.bind(this), this.#write.bind(this));
  }

  get gatherings(): GatheringStore {
    return simGatherings(this.db, this.#read.bind(this), this.#write.bind(this));
  }

  /** As lease traffic, not counted. */
  readonly slots: SlotStore = {
    pool: (tenantId) => this.#read('ledger', () => this.db.ledgers.get(tenantId) ?? { rev: 0, allocations: [] }),
    compareAndSet: (tenantId, rev, allocations) =>
      this.#read('swap', () => {
        if ((this.db.ledgers.get(tenantId)?.rev ?? 0) !== rev) return false;
        this.db.ledgers.set(tenantId, structuredClone({ rev: rev + 1, allocations }));
        return true;
      }),
  };

  /** Runs without an owner that are due, oldest first. */
  #due(now: number): Candidate[] {
    return [...this.db.executions.values()]
      .flatMap(
        (run) =>
          (run.status === 'running' && run.owner === null && run.wakeAt !== null ? [[run, run.wakeAt]] : []) as [
            Execution,
            number,
          ][],
      )
      .filter(([, wakeAt]) => wakeAt <= now)
      .sort(([, a], [, b]) => a - b)
      .map(([run, wakeAt]) => candidateOf(run, wakeAt));
  }

  #unowned(id: string, tenantId: string, epoch: number): Execution | null {
    const execution = this.db.executions.get(id);
    if (execution?.tenantId !== tenantId || execution.epoch !== epoch) return null;
    return execution.status === 'running' && execution.owner === null ? execution : null;
  }

  #free(gone: (owner: string) => boolean, now: number, more: { claims?: number } = {}): number {
    let runs = 0;
    for (const execution of this.db.executions.values()) {
      if (execution.status !== 'running' || execution.owner === null || !gone(execution.owner)) continue;
      this.#put({ ...execution, owner: null, wakeAt: now, ...more });
      runs += 1;
    }
    for (const [tenant, { rev, allocations: shares }] of this.db.ledgers) {
      const left = shares.filter(({ host }) => !gone(host));
      if (left.length < shares.length) this.db.ledgers.set(tenant, { rev: rev + 1, allocations: left });
    }
    return runs;
  }

  /** The record of an end: earlier records at its position or after it are not part of the history. */
  #last(tail: JournalRecord): void {
    const journal = this.db.journals.get(tail.executionId) ?? [];
    this.db.journals.set(
      tail.executionId,
      journal.filter(({ n }) => n < tail.n),
    );
    this.#record(tail);
  }

  #record(record: JournalRecord): void {
    const journal = this.db.journals.get(record.executionId);
    if (journal === undefined) this.db.journals.set(record.executionId, [structuredClone(record)]);
    else journal.push(structuredClone(record));
  }

  #owned(claim: { id: string; host: string; epoch: number }): Execution | null {
    const execution = this.db.executions.get(claim.id);
    const holds = execution?.status === 'running' && execution.owner === claim.host && execution.epoch === claim.epoch;
    return holds ? execution : null;
  }

  #endedBy(claim: { id: string; epoch: number }): boolean {
    const execution = this.db.executions.get(claim.id);
    return execution !== undefined && execution.status !== 'running' && execution.epoch === claim.epoch;
  }

  #put(execution: Execution): void {
    this.db.executions.set(execution.id, structuredClone(execution));
  }
}
