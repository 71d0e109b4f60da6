import type { Collection } from 'mongodb';
import type { Model, QueryFilter } from 'mongoose';
import { createCache } from '../../../lib/cache';
import { AppError } from '../../../lib/errors';
import { isUuid } from '../../../lib/ids';
import { type Owned, ofTenant } from '../../../lib/tenant';
import type { DeliveryOutcome, DeliverySource } from '../../../contracts/channels/views';
import type { BodyRecord, DeliveryLogModels, WebhookDeliveryRecord } from './models';
import { ROW_FIELDS } from './record';

/** Stored deliveries of a workflow: authenticated and unauthenticated ones. */
const MAX_DELIVERIES = { major: 1_000, minor: 200 } as const;
/** The limits are enforced after this many new deliveries. */
const ENFORCE_EVERY = 250;
/** Counters in memory. */
const MAX_COUNTERS = 20_000;
/** The log is a convenience: its writes do not wait for replication. */
const LIGHT = { ordered: false, writeConcern: { w: 1 } } as const;

/** The driver's collection: mongoose would validate every field of records that this service has created. */
const raw = <R extends Owned>(model: Model<R>): Collection<R> => model.collection as unknown as Collection<R>;

/** Leaves out what a caller may not see. */
export type Visible = QueryFilter<WebhookDeliveryRecord>;

/** Deliveries with a common limit. */
interface Group {
  readonly tenant_id: string;
  readonly workflow_id: string;
  readonly minor: boolean;
}

/** The deliveries of workflows. */
export class DeliveryLog {
  /** Deliveries since the limit was last enforced, by workflow and `minor`. */
  readonly #counts = createCache<number>({ max: MAX_COUNTERS });

  constructor(private readonly models: DeliveryLogModels) {}

  /** Stores deliveries, and removes the oldest over the limit. */
  async add(records: readonly { delivery: WebhookDeliveryRecord; body: BodyRecord | null }[]): Promise<void> {
    if (records.length === 0) return;
    const bodies = records.flatMap(({ body }) => body ?? []);
    const deliveries = records.map(({ delivery }) => delivery);
    // Bodies are stored before the deliveries that refer to them.
    if (bodies.length > 0) await raw(this.models.bodies).insertMany(bodies, LIGHT);
    await raw(this.models.deliveries).insertMany(deliveries, LIGHT);
    for (const group of this.#dueGroups(deliveries)) await this.#removeOldest(group);
  }

  /** Deliveries of a workflow, or of all (null), newest first; `before`: only those older than the delivery with this id. */
  async list(
    tenantId: string,
    workflowId: string | null,
    {
      limit,
      offset,
      before,
      outcome,
      source,
      visible = {},
    }: {
      limit: number;
      offset: number;
      before?: string;
      outcome?: DeliveryOutcome;
      source?: DeliverySource;
      visible?: Visible;
    },
  ): Promise<WebhookDeliveryRecord[]> {
    return ofTenant(this.models.deliveries, tenantId).find(
      {
        $and: [
          {
            ...(workflowId === null ? {} : { workflow_id: workflowId }),
            ...(before === undefined ? {} : { _id: { $lt: before } }),
            ...(outcome === undefined ? {} : { outcome }),
            ...(source === undefined ? {} : { source }),
          },
          visible,
        ],
      },
      { sort: { _id: -1 }, limit, offset, fields: ROW_FIELDS },
    );
  }

  /** @throws AppError not_found */
  async get(
    tenantId: string,
    workflowId: string,
    id: string,
  ): Promise<{ record: WebhookDeliveryRecord; body: Buffer }> {
    const find = { _id: id, workflow_id: workflowId };
    const record = isUuid(id) ? await ofTenant(this.models.deliveries, tenantId).findOne(find) : null;
    if (record === null) throw new AppError('not_found', `There is no delivery ${id} of this workflow`);
    if (record.body !== null) return { record, body: bytesOf(record.body) };
    const found = await ofTenant(this.models.bodies, tenantId).findOne(find);
    // Delivery and body are removed one after the other, so the body may be missing.
    return found === null
      ? { record: { ...record, kept: 0 }, body: Buffer.alloc(0) }
      : { record, body: bytesOf(found.body) };
  }

  /** Removes all deliveries of a workflow. */
  async purge(tenantId: string, workflowId: string): Promise<void> {
    const all = { workflow_id: workflowId };
    await ofTenant(this.models.deliveries, tenantId).remove(all);
    await ofTenant(this.models.bodies, tenantId).remove(all);
  }

  /** Counts new deliveries. Returns the groups whose limit must be enforced, including those without a counter. */
  #dueGroups(records: readonly Group[]): Group[] {
    const due = new Map<string, Group>();
    for (const record of records) {
      const key = `${record.workflow_id}:${record.minor}`;
      const count = (this.#counts.get(key) ?? ENFORCE_EVERY) + 1;
      if (count > ENFORCE_EVERY) due.set(key, record);
      this.#counts.set(key, count > ENFORCE_EVERY ? 0 : count);
    }
    return [...due.values()];
  }

  async #removeOldest({ tenant_id, workflow_id, minor }: Group): Promise<void> {
    const deliveries = ofTenant(this.models.deliveries, tenant_id);
    const offset = minor ? MAX_DELIVERIES.minor : MAX_DELIVERIES.major;
    const page = { sort: { _id: -1 as const }, offset, limit: 1, fields: ['_id'] };
    const [last] = await deliveries.find({ workflow_id, minor }, page);
    if (last === undefined) return;
    const old = { workflow_id, minor, _id: { $lte: last._id } };
    await deliveries.remove(old);
    await ofTenant(this.models.bodies, tenant_id).remove(old);
  }
}

/** Without a schema, the driver returns bytes as a Binary. */
const bytesOf = (stored: Buffer | { readonly buffer: Uint8Array }): Buffer =>
  Buffer.isBuffer(stored) ? stored : Buffer.from(stored.buffer);
