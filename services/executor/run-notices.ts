import { createCache } from '../../lib/cache';
import type { Clock } from '../../lib/clock';
import type { ServiceContext } from '../../mixins/service';
import type { TenantEvents } from '../../mixins/tenant-events';
import type { EndStatus } from '../../runtime/core/entries/entry';
import type { Execution, PauseRequest, Waiting } from '../../runtime/core/model';
import { addressOfQuestion } from './approvals';

const REMEMBERED = 10_000;
const REMEMBERED_MS = 3_600_000;
/** Approvals of one run that are published at once. */
const MAX_APPROVALS = 20;

type Publisher = Pick<ServiceContext, 'broadcast'>;
type Run = Pick<Execution, 'id' | 'tenantId' | 'workflowId' | 'workflowName' | 'triggerType'>;

/** Publishes the starts, ends and questions of runs to the subscribers of their tenants. */
export class RunNotices {
  /** Runs whose start was published. */
  readonly #started;

  constructor(
    private readonly events: TenantEvents,
    clock: Clock,
  ) {
    this.#started = createCache<true>({ max: REMEMBERED, ttlMs: REMEMBERED_MS, now: () => clock.now() });
  }

  /** The run has a new record. Its first claim publishes the start; a run that ends in one write has none. */
  moved(context: Publisher, run: Run & Pick<Execution, 'epoch'>): void {
    if (run.epoch > 1 || !this.events.hasSubscribers(run.tenantId) || this.#started.get(run.id) === true) return;
    this.#started.set(run.id, true);
    this.events.publish(context, run.tenantId, { event: 'run.started', status: 'running', ...factsOf(run) });
  }

  ended(context: Publisher, run: Run, status: EndStatus): void {
    this.events.publish(context, run.tenantId, { event: 'run.ended', status, ...factsOf(run) });
  }

  /** What the run waits for is stored. A question is published again each time. */
  waits(context: Publisher, run: Run, waiting: readonly Waiting[]): void {
    if (!this.events.hasSubscribers(run.tenantId)) return;
    const addresses = waiting.flatMap((each) => addressOfQuestion(each) ?? []);
    for (const step_id of addresses.slice(0, MAX_APPROVALS))
      this.events.publish(context, run.tenantId, { event: 'approval.waiting', step_id, ...factsOf(run) });
  }

  paused(context: Publisher, run: Run, kind: PauseRequest['kind']): void {
    const event = kind === 'pause' ? 'run.paused' : 'run.resumed';
    this.events.publish(context, run.tenantId, { event, status: 'running', ...factsOf(run) });
  }

  decided(context: Publisher, run: Run, step_id: string, approved: boolean): void {
    this.events.publish(context, run.tenantId, { event: 'approval.decided', step_id, approved, ...factsOf(run) });
  }
}

const factsOf = ({ id, workflowId, workflowName, triggerType }: Run) => ({
  execution_id: id,
  workflow_id: workflowId,
  workflow_name: workflowName,
  trigger_type: triggerType,
});
