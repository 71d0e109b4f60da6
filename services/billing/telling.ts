import { isObject, type JsonObject } from '../../lib/json';
import type { ServiceContext } from '../../mixins/service';
import type { TellingRecord } from './models';
import type { Subscriptions } from './subscriptions';

/** A customer may become known by an event that comes a little later: his tenant is looked up so often. */
const MOST_TRIES = 5;

/**
 * Tells workflows of the tenant that an event belongs to. Runs have ids made of the event's, so telling them twice starts
 * nothing twice. Answers with what has become of it; null when it is to be tried again.
 * @throws what keeps workflows from being started now
 */
export const telling =
  (subscriptions: Subscriptions) =>
  async ({ call }: Pick<ServiceContext, 'call'>, event: TellingRecord): Promise<string | null> => {
    const { named, customer } = event;
    const tenantId = named ?? (customer === null ? null : await subscriptions.tenantOf(customer));
    if (tenantId === null) return event.telling.attempts + 1 < MOST_TRIES ? null : 'It belongs to no tenant';
    const cause = { kind: 'billing', id: event._id, event: event.type, data: dataOf(event) } as const;
    const { started, refused } = await call('workflows.react', { cause, depth: 0 }, { asServiceOf: tenantId });
    const reasons = refused.map(({ workflow_id, message }) => `; not ${workflow_id}: ${message}`);
    return `It started ${started.length} workflows${reasons.join('')}`;
  };

/** What was kept when the event came is JSON of an object. */
function dataOf({ telling: { body } }: TellingRecord): JsonObject {
  const value: unknown = JSON.parse(body);
  return isObject(value) ? (value as JsonObject) : {};
}
