/**
 * A host's sign of life. Owns: whether this host may act. Does not own: whose runs it has.
 *
 *  L1  `holds` is false before the database may declare the host dead: time is counted from when the renewal was
 *      sent, and a margin is taken off, so that the fence falls before another host can begin.
 *  L2  A host that was fenced comes back under a new id, so that nothing it did before can be taken for its new life.
 *      An answer that comes after the fence says nothing about the new id: that one must be registered itself.
 *  L3  Nothing holds after `stop`, and renewals go on whatever else is slow or silent.
 */
import type { Clock } from '../../lib/clock';
import type { Meters } from '../actor/meters';
import type { HostFigures, HostInfo, HostStore } from '../store/port';
import { within } from './within';

/** The share of the lease after which a host that could not renew stops trusting it. */
const TRUSTED_SHARE = 0.75;

export interface LeaseDeps {
  readonly hosts: HostStore;
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly newHost: () => HostInfo;
  readonly figures: () => HostFigures;
  readonly meters: Pick<Meters, 'leaseRenewed'>;
  /** The host under this id may act no more. */
  readonly onFenced: (hostId: string) => void;
  /** After each renewal: time to look for the dead. Must not keep the next renewal waiting. */
  readonly onRenewed: () => void;
  readonly onFault: (fault: unknown) => void;
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
    await this.#register();
    this.#schedule();
  }

  /** Holds nothing any more, then tells the database. A fault is reported only: the lease lapses by itself. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#trustedUntil = 0;
    this.#cancel();
    this.#fence();
    const leaving = this.deps.hosts.leave(this.#host.id, this.deps.clock.now());
    await this.#answered('leave', leaving).catch(this.deps.onFault);
  }

  /** Tells the database now how this host is, instead of at the next renewal. A fault is left to that one. */
  async renewNow(): Promise<void> {
    const { hosts, leaseMs, figures, onFault } = this.deps;
    const host = this.#host;
    const sent = this.deps.clock.now();
    if (!this.holds(host.id)) return;
    const renewed = this.#answered('renew', hosts.renew(host.id, leaseMs, figures()));
    if (await renewed.catch((fault: unknown) => onFault(fault))) this.#trust(host, sent);
  }

  async #register(): Promise<void> {
    const host = this.#host;
    const sent = this.deps.clock.now();
    await this.#answered('register', this.deps.hosts.register(host, this.deps.leaseMs));
    this.#trust(host, sent);
  }

  /** Counts from when the question was sent. Nothing is gained by an answer for an id that was fenced meanwhile. */
  #trust(host: HostInfo, sent: number): void {
    if (host !== this.#host || this.#stopped) return;
    this.#trustedUntil = sent + this.deps.leaseMs * TRUSTED_SHARE;
    this.#fence();
    this.#fence = this.deps.clock.after(Math.max(0, this.#trustedUntil - this.deps.clock.now()), () => this.#lose());
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#cancel = this.deps.clock.after(this.deps.leaseMs / 4, () => {
      this.#renew()
        .catch(this.deps.onFault)
        .finally(() => this.#schedule());
    });
  }

  async #renew(): Promise<void> {
    const host = this.#host;
    const sent = this.deps.clock.now();
    const { hosts, leaseMs, figures, clock, meters } = this.deps;
    const alive =
      sent < this.#trustedUntil && (await this.#answered('renew', hosts.renew(host.id, leaseMs, figures())));
    if (this.#stopped) return;
    if (alive) meters.leaseRenewed(clock.now() - sent > leaseMs / 4 ? 'late' : 'ok');
    if (alive) this.#trust(host, sent);
    if (!alive || !this.holds(this.#host.id)) {
      this.#lose();
      await this.#register();
    }
    this.deps.onRenewed();
  }

  #lose(): void {
    const lost = this.#host.id;
    if (this.#stopped || this.#trustedUntil === 0) return;
    this.#trustedUntil = 0;
    this.#host = this.deps.newHost();
    this.deps.meters.leaseRenewed('lost');
    this.deps.onFenced(lost);
  }

  #answered<T>(what: string, answer: Promise<T>): Promise<T> {
    return within(this.deps.clock, this.deps.leaseMs, what, answer);
  }
}
