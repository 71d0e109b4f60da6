import { isObject, type JsonObject } from '../../lib/json';
import type { ServiceContext } from '../../mixins/service';
import type { UndeliveredEvent } from './models';
import type { Subscriptions } from './subscriptions';

/** Attempts to find the tenant of a customer, which a later event may make known. */
const MAX_TRIES = 5;

/**
 * Delivers an event to the workflows of its tenant. Run ids are derived from the event id, so a second call starts no runs.
 * Returns the outcome; null when it must be retried.
 * @throws errors that prevent starts now
 */
export const notifyWorkflows =
  (subscriptions: Subscriptions) =>
  async ({ call }: Pick<ServiceContext, 'call'>, event: UndeliveredEvent): Promise<string | null> => {
    const { named, customer } = event;
    const tenantId = named ?? (customer === null ? null : await subscriptions.tenantOf(customer));
    if (tenantId === null) return event.telling.attempts + 1 < MAX_TRIES ? null : 'No tenant has this customer';
    const cause = { kind: 'billing', id: event._id, event: event.type, data: dataOf(event) } as const;
    const { started, refused } = await call('workflows.react', { cause, depth: 0 }, { asServiceOf: tenantId });
    const reasons = refused.map(({ workflow_id, message }) => `; ${workflow_id} was not started: ${message}`);
    return `Started ${started.length} workflows${reasons.join('')}`;
  };

/** The stored body is the JSON of an object. */
function dataOf({ telling: { body } }: UndeliveredEvent): JsonObject {
  const value: unknown = JSON.parse(body);
  return isObject(value) ? (value as JsonObject) : {};
}
