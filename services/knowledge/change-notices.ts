import type { Clock } from '../../lib/clock';
import type { TenantEvents } from '../../mixins/tenant-events';
import type { ServiceContext } from '../../mixins/service';

/** Between two events of a base: a document of many chunks changes with each batch of vectors. */
const MIN_INTERVAL_MS = 500;

/** Publishes `knowledge.changed` to subscribers of the tenant, at most once per base and interval. */
export class ChangeNotices {
  /** By base: cancels the event that is due. */
  readonly #due = new Map<string, () => void>();

  constructor(
    private readonly clock: Clock,
    private readonly events: TenantEvents,
    private readonly service: () => ServiceContext,
  ) {}

  /** The base, or a document of it, has changed. */
  changed(tenantId: string, baseId: string): void {
    if (this.#due.has(baseId) || !this.events.hasSubscribers(tenantId)) return;
    const publish = (): void => {
      this.#due.delete(baseId);
      this.events.publish(this.service(), tenantId, { event: 'knowledge.changed', knowledge_base_id: baseId });
    };
    this.#due.set(baseId, this.clock.after(MIN_INTERVAL_MS, publish));
  }

  stop(): void {
    for (const cancel of this.#due.values()) cancel();
    this.#due.clear();
  }
}
