import type { ServiceBroker } from 'moleculer';
import type { ExecutionStatus } from '../../contracts/executions/views';
import { sendEvent } from '../../lib/bus/send-event';
import { hmac } from '../../lib/crypto';
import { AppError } from '../../lib/errors';
import type { EventDefinition } from '../../mixins/service';
import type { Execution } from '../../runtime/core/model';
import type { App } from '../app';
import { WatchRegistry } from '../../mixins/watch-registry';

const MAX_NODES_PER_TENANT = 10;
const RETRY_AFTER_SECONDS = 30;

type ChangedRun = Pick<Execution, 'id' | 'tenantId' | 'workflowId'>;

/**
 * Subscriptions of integrator nodes to run events of tenants. Every process with executions knows all of them from the events
 * of subscribers. The key of a subscription is derived from its tenant and its node, so a node
 * can reject events of a subscription that another tenant made in its name.
 */
export class Subscriptions {
  readonly #nodes: WatchRegistry;

  constructor(private readonly app: Pick<App, 'clock' | 'keys'>) {
    this.#nodes = new WatchRegistry(() => app.clock.now());
  }

  get event(): EventDefinition<'execution.subscribe'> {
    return { handle: ({ tenant_id, node }) => this.#nodes.watch(tenant_id, node) };
  }

  /** @throws AppError rate_limited */
  assertRoom(tenantId: string, node: string): void {
    const nodes = this.#nodes.nodes(tenantId);
    if (nodes.length < MAX_NODES_PER_TENANT || nodes.includes(node)) return;
    throw new AppError(
      'rate_limited',
      `The tenant has ${MAX_NODES_PER_TENANT} subscribed nodes; a node is forgotten 30 seconds after its last call`,
      { retry_after: RETRY_AFTER_SECONDS },
    );
  }

  /** The key that signs the events of a tenant for a node. */
  keyOf(tenantId: string, node: string): string {
    return hmac(this.app.keys.ids, `run events\n${tenantId}\n${node}`).toString('base64url');
  }

  /** Notifies the tenant's subscribers that a run has a new record or has ended. */
  publish(broker: ServiceBroker, { id, tenantId, workflowId }: ChangedRun, status: ExecutionStatus): void {
    const nodes = this.#nodes.nodes(tenantId);
    if (nodes.length === 0) return;
    const at = new Date(this.app.clock.now()).toISOString();
    const change = { tenant_id: tenantId, execution_id: id, workflow_id: workflowId, status, at };
    const text = Object.values(change).join('\n');
    for (const node of nodes) {
      const signature = hmac(Buffer.from(this.keyOf(tenantId, node)), text).toString('hex');
      sendEvent(broker, node, 'execution.changed', { ...change, signature });
    }
  }
}
