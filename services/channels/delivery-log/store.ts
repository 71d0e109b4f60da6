import type { Collection } from 'mongodb';
import type { Model } from 'mongoose';
import { createCache } from '../../../lib/cache';
import { AppError } from '../../../lib/errors';
import { isUuid } from '../../../lib/ids';
import { type Owned, ofTenant } from '../../../lib/tenant';
import type { DeliveryOutcome, DeliverySource } from '../../../contracts/channels/views';
import type { BodyRecord, DeliveryLogModels, WebhookDeliveryRecord } from './models';
import { ROW_FIELDS } from './record';

/** How many deliveries of a workflow are kept: those that were taken, and those that anybody can have made. */
const MAX_DELIVERIES = { major: 1_000, minor: 200 } as const;
/** After so many more it is looked whether there are too many. */
const TIDIED_EVERY = 250;
/** Shares whose deliveries are counted in memory. */
const MAX_COUNTED = 20_000;
/** The log is a convenience: its writes do not wait for replication. */
const LIGHT = { ordered: false, writeConcern: { w: 1 } } as const;

/** The driver's own collection: mongoose would look at every field of what we have just made. */
const raw = <R extends Owned>(model: Model<R>): Collection<R> => model.collection as unknown as Collection<R>;

interface Share {
  readonly tenant_id: string;
  readonly workflow_id: string;
  readonly minor: boolean;
}

/** The deliveries of workflows. */
export class DeliveryLog {
  /** Written since it was last looked, by workflow and share. */
  readonly #since = createCache<number>({ max: MAX_COUNTED });

  constructor(private readonly models: DeliveryLogModels) {}

  /** Keeps deliveries, and drops the oldest where there are too many. */
  async add(records: readonly { delivery: WebhookDeliveryRecord; body: BodyRecord | null }[]): Promise<void> {
    if (records.length === 0) return;
    const bodies = records.flatMap(({ body }) => body ?? []);
    // A delivery never names a body that is not there yet.
    if (bodies.length > 0) await raw(this.models.bodies).insertMany(bodies, LIGHT);
    await raw(this.models.deliveries).insertMany(
      records.map(({ delivery }) => delivery),
      LIGHT,
    );
    for (const share of this.#grown(records.map(({ delivery }) => delivery))) await this.#tidy(share);
  }

  /** Deliveries of a workflow, newest first; `before`: those that are older than the one of this id. */
  async list(
    tenantId: string,
    workflowId: string,
    {
      limit,
      skip,
      before,
      outcome,
      source,
    }: { limit: number; skip: number; before?: string; outcome?: DeliveryOutcome; source?: DeliverySource },
  ): Promise<WebhookDeliveryRecord[]> {
    return ofTenant(this.models.deliveries, tenantId).find(
      {
        workflow_id: workflowId,
        ...(before === undefined ? {} : { _id: { $lt: before } }),
        ...(outcome === undefined ? {} : { outcome }),
        ...(source === undefined ? {} : { source }),
      },
      { sort: { _id: -1 }, limit, skip, fields: ROW_FIELDS },
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
    // The two are written and removed one after the other, so one may be there without the other for a moment.
    return found === null
      ? { record: { ...record, kept: 0 }, body: Buffer.alloc(0) }
      : { record, body: bytesOf(found.body) };
  }

  /** Forgets what came in for a workflow. */
  async purge(tenantId: string, workflowId: string): Promise<void> {
    const all = { workflow_id: workflowId };
    await ofTenant(this.models.deliveries, tenantId).remove(all);
    await ofTenant(this.models.bodies, tenantId).remove(all);
  }

  /** The shares at which it is time to look; one that was never looked at is among them. */
  #grown(records: readonly Share[]): Share[] {
    const grown = new Map<string, Share>();
    for (const record of records) {
      const key = `${record.workflow_id}:${record.minor}`;
      const since = (this.#since.get(key) ?? TIDIED_EVERY) + 1;
      if (since > TIDIED_EVERY) grown.set(key, record);
      this.#since.set(key, since > TIDIED_EVERY ? 0 : since);
    }
    return [...grown.values()];
  }

  async #tidy({ tenant_id, workflow_id, minor }: Share): Promise<void> {
    const deliveries = ofTenant(this.models.deliveries, tenant_id);
    const skip = minor ? MAX_DELIVERIES.minor : MAX_DELIVERIES.major;
    const page = { sort: { _id: -1 as const }, skip, limit: 1, fields: ['_id'] };
    const [last] = await deliveries.find({ workflow_id, minor }, page);
    if (last === undefined) return;
    const old = { workflow_id, minor, _id: { $lte: last._id } };
    await deliveries.remove(old);
    await ofTenant(this.models.bodies, tenant_id).remove(old);
  }
}

/** Bytes as the driver gives them back: as a Binary where the record was read without its schema. */
const bytesOf = (stored: Buffer | { readonly buffer: Uint8Array }): Buffer =>
  Buffer.isBuffer(stored) ? stored : Buffer.from(stored.buffer);
