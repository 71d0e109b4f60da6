/** Events of this time are announced together. */
const GATHER_MS = 50;
/** Of one announcement; the logs of further tenants are found by the next poll of their streams. */
const MAX_TENANTS = 1_000;

/** Announces to the audit service that events were written, so that it sends them on. Announcements are hints. */
export class AuditAnnouncer {
  readonly #tenants = new Set<string>();
  #emit: (tenantIds: string[]) => void = () => {};

  /** Sets how it announces: each service of a process has the bus, and any of them will do. */
  by(emit: (tenantIds: string[]) => void): void {
    this.#emit = emit;
  }

  appended(tenantId: string): void {
    const isScheduled = this.#tenants.size > 0;
    if (this.#tenants.size < MAX_TENANTS) this.#tenants.add(tenantId);
    if (isScheduled) return;
    setTimeout(() => {
      const tenantIds = [...this.#tenants];
      this.#tenants.clear();
      this.#emit(tenantIds);
    }, GATHER_MS).unref();
  }
}
