/**
 * The lease of a host. Owns: whether this host may act. Does not own: its runs.
 *
 *  L1  `holds` turns false before the database may declare the host dead: time is counted from when the renewal was
 *      sent, with a margin, so that the fence comes before another host can begin.
 *  L2  A fenced host registers again under a new id, so that its earlier writes cannot be confused with new ones. An
 *      answer after the fence does not count for the new id, which needs its own registration.
 *  L3  Nothing holds after `stop`. Renewals are sent each quarter of the lease, whether or not earlier ones were
 *      answered. A single lost answer does not fence the host.
 */
import type { Clock } from '../../lib/clock';
import type { Meters } from '../execution/meters';
import type { HostFigures, HostInfo, HostStore } from '../ports/host-store';
import { withTimeout } from '../../lib/with-timeout';

/** A host trusts its lease for this share of it. */
const TRUSTED_SHARE = 0.75;

interface LeaseDeps {
  readonly hosts: HostStore;
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly newHost: () => HostInfo;
  readonly figures: () => HostFigures;
  readonly meters: Pick<Meters, 'leaseRenewed'>;
  /** The host under this id may act no more. */
  readonly onFenced: (hostId: string) => void;
  /** Called after each renewal, to sweep for dead hosts. Must not block. */
  readonly onRenewed: () => void;
  readonly onFault: (fault: unknown) => void;
}

/** Reported when a host is fenced; the text is for the operator. */
export class LeaseLost extends Error {
  constructor(hostId: string, runs: number) {
    super(
      `Host ${hostId} lost its lease: the database did not confirm a renewal in time, or this process stood still. ` +
        `${runs} of its runs continue from their last record, on another host or on this one after it has registered again`,
    );
    this.name = 'LeaseLost';
  }
}

export class Lease {
  #host: HostInfo;
  #trustedUntil = 0;
  #stopped = false;
  #cancel: () => void = () => {};
  #fence: () => void = () => {};

  constructor(private readonly deps: LeaseDeps) {
    this.#host = deps.newHost();
  }

  get hostId(): string {
    return this.#host.id;
  }

  holds(hostId: string): boolean {
    return hostId === this.#host.id && this.deps.clock.now() < this.#trustedUntil;
  }

  async start(): Promise<void> {
    await this.#register(this.deps.leaseMs);
    this.#schedule();
  }

  /** Stops, then releases the lease in the database. A failure is only reported: the lease expires by itself. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#trustedUntil = 0;
    this.#cancel();
    this.#fence();
    const { hosts, clock, leaseMs, onFault } = this.deps;
    await withTimeout(clock, leaseMs, 'leave', hosts.leave(this.#host.id, clock.now())).catch(onFault);
  }

  /** Renews now, with current metrics. A failure is left to the next renewal. */
  async renewNow(): Promise<void> {
    if (this.holds(this.#host.id)) await this.#renew().catch(this.deps.onFault);
  }

  /** A quarter of the lease: the time between two renewals, and the time-out of each. */
  get #intervalMs(): number {
    return this.deps.leaseMs / 4;
  }

  async #register(timeoutMs: number): Promise<void> {
    const host = this.#host;
    const { hosts, clock, leaseMs } = this.deps;
    const sent = clock.now();
    const registered = hosts.register(host, leaseMs).then(() => this.#trust(host, sent));
    await withTimeout(clock, timeoutMs, 'registration of the host', registered);
  }

  /** Counts from when the request was sent. Ignores answers for a fenced id. */
  #trust(host: HostInfo, sent: number): void {
    if (host !== this.#host || this.#stopped) return;
    const until = sent + this.deps.leaseMs * TRUSTED_SHARE;
    if (until <= this.#trustedUntil) return;
    this.#trustedUntil = until;
    this.#fence();
    this.#fence = this.deps.clock.after(Math.max(0, until - this.deps.clock.now()), () => this.#lose());
  }

  /** A missing answer does not delay the next renewal. */
  #schedule(): void {
    if (this.#stopped) return;
    this.#cancel = this.deps.clock.after(this.#intervalMs, () => {
      this.#schedule();
      this.#renewOrRegister().catch(this.deps.onFault);
    });
  }

  async #renewOrRegister(): Promise<void> {
    if (!this.holds(this.#host.id)) this.#lose();
    else if (await this.#renew()) return this.deps.onRenewed();
    if (this.#stopped || this.holds(this.#host.id)) return;
    await this.#register(this.#intervalMs);
    if (!this.#stopped) this.deps.onRenewed();
  }

  /** False when the host was declared dead. An answer after the timeout counts as well, from when it was sent. */
  async #renew(): Promise<boolean> {
    const host = this.#host;
    const { hosts, leaseMs, figures, clock, meters } = this.deps;
    const sent = clock.now();
    const answer = hosts.renew(host.id, leaseMs, figures()).then((alive) => {
      if (this.#stopped || host !== this.#host) return true;
      if (alive) meters.leaseRenewed(clock.now() - sent > this.#intervalMs ? 'late' : 'ok');
      if (alive) this.#trust(host, sent);
      else this.#lose();
      return alive;
    });
    return withTimeout(clock, this.#intervalMs, 'lease renewal', answer);
  }

  #lose(): void {
    const lost = this.#host.id;
    if (this.#stopped || this.#trustedUntil === 0) return;
    this.#trustedUntil = 0;
    this.#host = this.deps.newHost();
    this.deps.meters.leaseRenewed('lost');
    this.deps.onFenced(lost);
  }
}
