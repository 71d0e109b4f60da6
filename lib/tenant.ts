import type { Model, QueryFilter, UpdateQuery } from 'mongoose';

/** Records that `each` decodes at once. */
const BATCH_RECORDS = 200;

/** Fields of every tenant-owned record. */
export interface Owned {
  _id: string;
  tenant_id: string;
}

/** Schema fields of an owned record. Ids are UUIDs; the owner never changes. */
export const ownedFields = {
  _id: { type: String, required: true },
  tenant_id: { type: String, required: true, immutable: true },
} as const;

/** Field types of mongoose schemas. */
export const requiredText = { type: String, required: true } as const;
export const optionalText = { type: String, default: null } as const;
export const requiredNumber = { type: Number, required: true } as const;
export const requiredDate = { type: Date, required: true } as const;

/**
 * Schema options of records whose writes a response confirms: acknowledged by a majority and on disk. Indexes are
 * created by the service that owns the collection.
 */
export const durableOptions = {
  versionKey: false,
  minimize: false,
  autoIndex: false,
  writeConcern: { w: 'majority', j: true },
} as const;

/** Limit, offset, order and fields of `find`. */
export interface FindOptions {
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  readonly offset?: number;
  readonly limit?: number;
  readonly fields?: readonly string[];
}

/** One tenant's records in a collection. Other tenants' records cannot be reached. */
export interface TenantScope<T extends Owned> {
  find(filter: QueryFilter<T>, options?: FindOptions): Promise<T[]>;
  /** As `find`, read in batches, for any number of records. */
  each(filter: QueryFilter<T>, options?: FindOptions): AsyncIterable<T>;
  findOne(filter: QueryFilter<T>): Promise<T | null>;
  count(filter: QueryFilter<T>): Promise<number>;
  insert(record: Omit<T, 'tenant_id'>): Promise<T>;
  /**
   * Updates the one matching record atomically; returns it as it was `before` or is `after`, or null without a match.
   */
  update(filter: QueryFilter<T>, update: UpdateQuery<T>, answer?: 'before' | 'after'): Promise<T | null>;
  /** Returns the number of deleted records. */
  remove(filter: QueryFilter<T>): Promise<number>;
}

/**
 * The only access to tenant-owned records. The tenant must come from a verified principal, never from params. Its
 * clause overrides the filter, so no filter can widen it.
 */
export function ofTenant<T extends Owned>(model: Model<T>, tenantId: string): TenantScope<T> {
  // The driver drops undefined from the filter, which would match all tenants.
  if (typeof tenantId !== 'string' || tenantId === '')
    throw new TypeError('A tenant id is required to access tenant records');
  const own = (filter: QueryFilter<T>): QueryFilter<T> => ({ ...filter, tenant_id: tenantId });
  const queryOf = (filter: QueryFilter<T>, options: FindOptions) => {
    const query = model.find(own(filter));
    if (options.sort !== undefined) query.sort(options.sort);
    if (options.offset !== undefined) query.skip(options.offset);
    if (options.limit !== undefined) query.limit(options.limit);
    if (options.fields !== undefined) query.select([...options.fields]);
    return query.lean();
  };
  return {
    find: async (filter, options = {}) => queryOf(filter, options).exec(),
    async *each(filter, options = {}) {
      const cursor = queryOf(filter, options).cursor({ batchSize: BATCH_RECORDS });
      try {
        yield* cursor as AsyncIterable<T>;
      } finally {
        // Mongoose does not close the cursor of a loop that ends early.
        await cursor.close();
      }
    },
    findOne: (filter) => model.findOne(own(filter)).lean().exec(),
    count: (filter) => model.countDocuments(own(filter)).exec(),
    async insert(record) {
      const owned = { ...record, tenant_id: tenantId } as unknown as T;
      await model.create(owned);
      return owned;
    },
    update: (filter, update, answer = 'after') =>
      model.findOneAndUpdate(own(filter), update, { returnDocument: answer, runValidators: true }).lean().exec(),
    remove: async (filter) => (await model.deleteMany(own(filter)).exec()).deletedCount,
  };
}
