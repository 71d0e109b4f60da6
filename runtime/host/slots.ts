/**
 * The slots of tenants on one host. Owns: how many runs of a tenant may be in this host's memory. Does not own: what
 * becomes of a run for which there is none.
 *
 *  T1  The shares of all hosts never exceed the limit under which they were taken, and no host has more runs of a
 *      tenant in memory than the ledger says. So it takes only what the database has confirmed, and lets go before it
 *      tells the database.
 *  T2  A slot is given back once, however often it is told to.
 *  T3  Slots belong to a host's id. With a new id (see L2) everything begins anew; the old shares die with the old id.
 *  T4  What is not used goes back, and a ledger of a tenant without runs has no shares.
 */
import type { Clock } from '../../lib/clock';
import type { Share, SlotStore } from '../store/port';
import { afterAsking, toKeep, wantedFor } from './shares';
import { within } from './within';

/** The right to have one run of a tenant in memory. */
export interface Slot {
  give(): void;
}

/** For a run that needs none: it is taken up to be ended, and begins nothing. */
export const NO_SLOT: Slot = { give: () => {} };

/** How often a ledger is read again because another host was faster. */
const TRIES = 20;

export interface SlotsDeps {
  readonly slots: SlotStore;
  readonly clock: Clock;
  /** No answer takes longer; else it counts as none. */
  readonly patienceMs: number;
  readonly limit: (tenantId: string) => Promise<number | null>;
  /** Whether that host may act. A share of an id that was never registered would be struck off by nobody. */
  readonly holds: (host: string) => boolean;
  /** A slot of this tenant can be taken again. */
  readonly onFree: (tenantId: string) => void;
  readonly onFault: (fault: unknown) => void;
}

/** Somebody who wants `n` slots, and has some of them. */
interface Asker {
  readonly n: number;
  readonly had: Slot[];
  readonly resolve: (slots: Slot[]) => void;
  readonly reject: (fault: unknown) => void;
}

/** One tenant on this host. */
interface Account {
  readonly tenantId: string;
  readonly host: string;
  /** Null: none; undefined: not known yet. */
  limit: number | null | undefined;
  inUse: number;
  /** The most in use since the last settlement. */
  peak: number;
  /** How many may be in use. */
  usable: number;
  /** What the ledger says of this host; never less than is in use or usable. */
  share: number;
  /** A write was not answered: it may still come about, unless another one goes before it. */
  doubtful: boolean;
  asking: Asker[];
  /** A question is to be put for those who ask. */
  queued: boolean;
  /** One question about a ledger at a time. */
  busy: Promise<void> | null;
}

export class Slots {
  #accounts = new Map<string, Account>();
  #host: string;
  #settling = false;

  constructor(
    private readonly deps: SlotsDeps,
    host: string,
  ) {
    this.#host = host;
  }

  /** T3: whatever was taken under another id counts no more. */
  moveTo(host: string): void {
    const left = this.#accounts;
    this.#accounts = new Map();
    this.#host = host;
    for (const { asking } of left.values())
      for (const { reject } of asking.splice(0)) reject(new Error('The host has lost its lease'));
  }

  /** Runs of a tenant in memory here. */
  inUse(tenantId: string): number {
    return this.#accounts.get(tenantId)?.inUse ?? 0;
  }

  hasFree(tenantId: string): boolean {
    const account = this.#accounts.get(tenantId);
    return account !== undefined && isFree(account);
  }

  /** A slot that this host has already; null when the ledger must be asked. */
  tryTake(tenantId: string): Slot | null {
    const account = this.#accounts.get(tenantId);
    return account === undefined || !isFree(account) ? null : this.#take(account);
  }

  /** Up to `n` slots, fewer when the tenant is at its limit. */
  take(tenantId: string, n: number): Promise<Slot[]> {
    const account = this.#account(tenantId);
    const had: Slot[] = [];
    while (had.length < n && isFree(account)) had.push(this.#take(account));
    if (had.length === n) return Promise.resolve(had);
    return new Promise<Slot[]>((resolve, reject) => {
      account.asking.push({ n, had, resolve, reject });
      // One question for all who come before it is put.
      if (account.queued) return;
      account.queued = true;
      void this.#alone(account, () => this.#ask(account));
    });
  }

  /** Gives back what is not used, and learns of changed limits. `spare`: some may be kept for the next runs. */
  async settle(spare: boolean): Promise<void> {
    if (this.#settling) return;
    this.#settling = true;
    for (const account of [...this.#accounts.values()])
      await this.#alone(account, () => this.#settleOne(account, spare)).catch(this.deps.onFault);
    this.#settling = false;
  }

  #account(tenantId: string): Account {
    const known = this.#accounts.get(tenantId);
    if (known !== undefined) return known;
    const host = this.#host;
    const counts = { inUse: 0, peak: 0, usable: 0, share: 0 };
    const account: Account = {
      tenantId,
      host,
      limit: undefined,
      ...counts,
      doubtful: false,
      asking: [],
      queued: false,
      busy: null,
    };
    this.#accounts.set(tenantId, account);
    return account;
  }

  #take(account: Account): Slot {
    account.inUse += 1;
    account.peak = Math.max(account.peak, account.inUse);
    let taken = true;
    return {
      give: () => {
        if (!taken) return;
        taken = false;
        account.inUse -= 1;
        if (isFree(account)) this.deps.onFree(account.tenantId);
      },
    };
  }

  async #alone(account: Account, job: () => Promise<void>): Promise<void> {
    while (account.busy !== null) await account.busy;
    const working = job();
    account.busy = working.then(
      () => {},
      () => {},
    );
    try {
      await working;
    } finally {
      account.busy = null;
    }
  }

  /** Answers all who ask at the moment, in their order, by one question. Whoever comes later has one of his own. */
  async #ask(account: Account): Promise<void> {
    account.queued = false;
    const asking = account.asking.splice(0);
    try {
      // They may have been served by the question before.
      this.#serve(account, asking, false);
      if (asking.length === 0) return;
      account.limit = await this.#answered('limit', this.deps.limit(account.tenantId));
      const { limit, host } = account;
      if (limit !== null) {
        const more = asking.reduce((sum, { n, had }) => sum + n - had.length, 0);
        await this.#write(account, limit, (shares) => wantedFor(shares, { host, inUse: account.inUse, more, limit }));
      }
      if (host !== this.#host) throw new Error('The host has lost its lease');
      this.#serve(account, asking, true);
    } catch (fault) {
      for (const { had, reject } of asking) {
        for (const slot of had) slot.give();
        reject(fault);
      }
    }
  }

  /** Hands out what is free. `all`: whoever gets nothing more is told so. */
  #serve(account: Account, asking: Asker[], all: boolean): void {
    while (asking[0] !== undefined) {
      const { n, had, resolve } = asking[0];
      while (had.length < n && isFree(account)) had.push(this.#take(account));
      if (had.length < n && !all) return;
      asking.shift();
      resolve(had);
    }
  }

  async #settleOne(account: Account, spare: boolean): Promise<void> {
    const { share, peak, inUse } = account;
    account.peak = inUse;
    const idle = inUse === 0 && peak === 0 && account.asking.length === 0;
    if (idle && share === 0 && !account.doubtful) {
      if (this.#accounts.get(account.tenantId) === account) this.#accounts.delete(account.tenantId);
      return;
    }
    const before = account.limit;
    account.limit = await this.#answered('limit', this.deps.limit(account.tenantId));
    const { limit } = account;
    if (limit === null && share === 0 && !account.doubtful) return;
    const keep = limit === null ? 0 : Math.max(inUse, spare ? toKeep(share, peak) : 0);
    const settled = share === keep && account.usable === share && !account.doubtful;
    // A lower limit concerns all hosts together: only the ledger tells what is left of it.
    if (!settled || isLower(limit, before)) await this.#write(account, limit, () => keep);
  }

  /** Writes this host's share. T1: what becomes unusable is so before the write, what becomes usable only after it. */
  async #write(account: Account, limit: number | null, wanted: (shares: readonly Share[]) => number): Promise<void> {
    const { tenantId, host } = account;
    for (let tries = 0; tries < TRIES; tries++) {
      const ledger = await this.#answered('ledger', this.deps.slots.ledger(tenantId));
      const known = ledger.shares.find((share) => share.host === host)?.n ?? 0;
      // Without a limit nothing is counted.
      const asking = { host, inUse: limit === null ? 0 : account.inUse, limit: limit ?? 0 };
      const next = afterAsking(ledger.shares, { ...asking, wanted: wanted(ledger.shares) });
      const share = next.shares.find((other) => other.host === host)?.n ?? 0;
      account.usable = Math.min(account.usable, next.usable);
      if (share !== known || account.doubtful) {
        if (!this.deps.holds(host)) throw new Error('The host has lost its lease');
        account.doubtful = true;
        if (!(await this.#answered('swap', this.deps.slots.swap(tenantId, ledger.rev, next.shares)))) continue;
        account.doubtful = false;
      }
      account.share = share;
      account.usable = next.usable;
      return;
    }
  }

  #answered<T>(what: string, answer: Promise<T>): Promise<T> {
    return within(this.deps.clock, this.deps.patienceMs, what, answer);
  }
}

const isFree = ({ limit, inUse, usable }: Account): boolean =>
  limit === null || (limit !== undefined && inUse < usable);

const isLower = (limit: number | null, before: number | null | undefined): boolean =>
  limit !== null && (before === null || (before !== undefined && limit < before));
