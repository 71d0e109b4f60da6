/**
 * A host's sign of life. Owns: whether this host may act. Does not own: whose runs it has.
 *
 *  L1  `holds` is false before the database may declare the host dead: time is counted from when the renewal was
 *      sent, and a margin is taken off, so that the fence falls before another host can begin.
 *  L2  A host that was fenced comes back under a new id, so that nothing it did before can be taken for its new life.
 */
import type { Clock } from '../../lib/clock';
import type { HostInfo, HostStore } from '../store/port';

/** The share of the lease after which a host that could not renew stops trusting it. */
const TRUSTED_SHARE = 0.75;

export interface LeaseDeps {
  readonly hosts: HostStore;
  readonly clock: Clock;
  readonly leaseMs: number;
  readonly newHost: () => HostInfo;
  readonly running: () => number;
  /** The host under this id may act no more. */
  readonly onFenced: (hostId: string) => void;
  /** After each renewal: time to look for the dead. */
  readonly onRenewed: () => Promise<void>;
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

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel();
    this.#fence();
    await this.deps.hosts.leave(this.#host.id, this.deps.clock.now());
  }

  async #register(): Promise<void> {
    const sent = this.deps.clock.now();
    await this.deps.hosts.register(this.#host, this.deps.leaseMs);
    this.#trust(sent);
  }

  #trust(sent: number): void {
    this.#trustedUntil = sent + this.deps.leaseMs * TRUSTED_SHARE;
    this.#fence();
    this.#fence = this.deps.clock.after(Math.max(0, this.#trustedUntil - this.deps.clock.now()), () => this.#lose());
  }

  #schedule(): void {
    if (this.#stopped) return;
    this.#cancel = this.deps.clock.after(this.deps.leaseMs / 4, () => {
      this.#renew()
        .catch((fault: unknown) => this.deps.onFault(fault))
        .finally(() => this.#schedule());
    });
  }

  async #renew(): Promise<void> {
    const sent = this.deps.clock.now();
    if (sent >= this.#trustedUntil) {
      this.#lose();
      await this.#register();
    } else if (await this.deps.hosts.renew(this.#host.id, this.deps.leaseMs, this.deps.running())) {
      this.#trust(sent);
    } else {
      this.#lose();
      await this.#register();
    }
    await this.deps.onRenewed();
  }

  #lose(): void {
    const lost = this.#host.id;
    if (this.#stopped || this.#trustedUntil === 0) return;
    this.#trustedUntil = 0;
    this.#host = this.deps.newHost();
    this.deps.onFenced(lost);
  }
}
