import type { JournalRecord } from '../../../runtime/record/entry';
import { bySending, type Mail } from '../../../runtime/record/state';
import type { Execution, HostInfo, HostStore, RunStore } from '../../../runtime/store/port';

/** What survives a crash: the contents of the database. */
export class SimDatabase {
  readonly executions = new Map<string, Execution>();
  readonly journals = new Map<string, JournalRecord[]>();
  readonly mail = new Map<string, Mail[]>();
  readonly payloads = new Map<string, string>();
  readonly hosts = new Map<string, { info: HostInfo; leaseUntil: number; state: 'alive' | 'dead' | 'left' }>();

  constructor(readonly now: () => number) {}
}

/** When a process dies: around its `write`th write (1 is the first), before it reaches the database or after. */
export interface CrashPoint {
  readonly write: number;
  readonly when: 'before' | 'after';
}

const never = <T>(): Promise<T> => new Promise<T>(() => {});

/** One process's connection to the simulated database. After a crash nothing that it asks for is ever answered. */
export class SimConnection {
  writes = 0;
  /** The verb of each write, in order. */
  readonly log: string[] = [];
  /** Says whether a verb fails now: before it reached the database, or after, so that only its answer is lost. */
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

  /** From now on the verb's requests wait on their way to the database, until the answer is called. */
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
        // Taken by the database, and no part of the history.
        if (
          this.db.executions.get(record.executionId)?.status !== 'running' &&
          this.db.executions.has(record.executionId)
        )
          return { kind: 'appended' };
        this.#record(record);
        return { kind: 'appended' };
      }),
    journal: (id, from = 0) =>
      this.#read('journal', () =>
        (this.db.journals.get(id) ?? []).filter((record) => record.n >= from).sort((a, b) => a.n - b.n),
      ),
    end: (claim, ending, tail) =>
      this.#write('end', () => {
        const execution = this.#owned(claim);
        if (execution === null) return this.#endedBy(claim);
        if (tail !== null) this.#last(tail);
        const { startedAt: _, ...fields } = ending;
        this.#put({ ...execution, ...fields, waiting: [], owner: null, wakeAt: null });
        return true;
      }),
    release: (claim, to) =>
      this.#write('release', () => {
        const execution = this.#owned(claim);
        if (execution === null) return 'lost';
        if (execution.inbox !== to.inbox) return 'mail';
        this.#put({ ...execution, owner: null, wakeAt: to.wakeAt, waiting: to.waiting });
        return 'released';
      }),
    claim: (host, now, limit) =>
      this.#write('claim', () => {
        const due = [...this.db.executions.values()]
          .filter(
            ({ status, owner, wakeAt }) => status === 'running' && owner === null && wakeAt !== null && wakeAt <= now,
          )
          .sort((a, b) => (a.wakeAt as number) - (b.wakeAt as number))
          .slice(0, limit);
        return due.map((execution) => {
          const claimed = { ...execution, owner: host, epoch: execution.epoch + 1, wakeAt: null, waiting: [] };
          this.#put(claimed);
          return claimed;
        });
      }),
    owned: (host) =>
      this.#read('owned', () =>
        [...this.db.executions.values()]
          .filter(({ status, owner }) => status === 'running' && owner === host)
          .map(({ id, epoch, inbox }) => ({ id, epoch, inbox })),
      ),
    nextWake: () =>
      this.#read('nextWake', () => {
        const times = [...this.db.executions.values()].flatMap(({ status, owner, wakeAt }) =>
          status === 'running' && owner === null && wakeAt !== null ? [wakeAt] : [],
        );
        return times.length === 0 ? null : Math.min(...times);
      }),
    post: (executionId, mail, now) =>
      this.#write('post', () => {
        const execution = this.db.executions.get(executionId);
        const box = this.db.mail.get(executionId) ?? [];
        const known = box.find((other) => other.id === mail.id);
        if (execution?.status === 'running') {
          this.#put({
            ...execution,
            inbox: execution.inbox + 1,
            wakeAt: execution.wakeAt === null ? null : Math.min(execution.wakeAt, now),
          });
        }
        if (known !== undefined) return { kind: 'known', mail: known, owner: execution?.owner ?? null };
        if (execution === undefined) return { kind: 'absent' };
        if (execution.status !== 'running') return { kind: 'ended' };
        this.db.mail.set(executionId, [...box, mail]);
        return { kind: 'posted', owner: execution.owner };
      }),
    findMail: (executionId, id) =>
      this.#read('findMail', () => (this.db.mail.get(executionId) ?? []).find((mail) => mail.id === id) ?? null),
    mail: (executionId) =>
      this.#read('mail', () => ({
        mail: (this.db.mail.get(executionId) ?? []).toSorted(bySending),
        inbox: this.db.executions.get(executionId)?.inbox ?? 0,
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
      this.#read(
        'register',
        () => void this.db.hosts.set(info.id, { info, leaseUntil: this.db.now() + leaseMs, state: 'alive' }),
      ),
    renew: (id, leaseMs) =>
      this.#read('renew', () => {
        const host = this.db.hosts.get(id);
        if (host?.state !== 'alive') return false;
        host.leaseUntil = this.db.now() + leaseMs;
        return true;
      }),
    bury: (by, now, all) =>
      this.#read('bury', () => {
        for (const [id, host] of this.db.hosts) {
          if (id !== by && host.state === 'alive' && (all || host.leaseUntil < this.db.now())) host.state = 'dead';
        }
        return { runs: this.#free((owner) => ['dead', 'left'].includes(this.db.hosts.get(owner)?.state ?? ''), now) };
      }),
    leave: (id, now) =>
      this.#read('leave', () => {
        this.#free((owner) => owner === id, now);
        const host = this.db.hosts.get(id);
        if (host !== undefined) host.state = 'left';
      }),
  };

  #free(gone: (owner: string) => boolean, now: number): number {
    let runs = 0;
    for (const execution of this.db.executions.values()) {
      if (execution.status !== 'running' || execution.owner === null || !gone(execution.owner)) continue;
      this.#put({ ...execution, owner: null, wakeAt: now });
      runs += 1;
    }
    return runs;
  }

  /** The record of an end: whatever stood at its position or behind is no part of the history. */
  #last(tail: JournalRecord): void {
    const journal = this.db.journals.get(tail.executionId) ?? [];
    this.db.journals.set(
      tail.executionId,
      journal.filter(({ n }) => n < tail.n),
    );
    this.#record(tail);
  }

  #record(record: JournalRecord): void {
    const journal = this.db.journals.get(record.executionId) ?? [];
    this.db.journals.set(record.executionId, [...journal, structuredClone(record)]);
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
