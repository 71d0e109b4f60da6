import type { Model, QueryFilter, UpdateQuery } from 'mongoose';

/** What every record of a tenant has. */
export interface Owned {
  _id: string;
  tenant_id: string;
}

/** Schema fields of an owned record. Ids are UUID texts; the owner never changes. */
export const ownedFields = {
  _id: { type: String, required: true },
  tenant_id: { type: String, required: true, immutable: true },
} as const;

/**
 * Schema options of records that an answer vouches for: a write is acknowledged by a majority and on disk. Indexes are
 * made at the start of the service that owns the collection.
 */
export const durableOptions = {
  versionKey: false,
  minimize: false,
  autoIndex: false,
  writeConcern: { w: 'majority', j: true },
} as const;

/** How many, from where, in which order, and which fields of what `find` answers. */
export interface FindOptions {
  readonly sort?: Readonly<Record<string, 1 | -1>>;
  readonly skip?: number;
  readonly limit?: number;
  readonly fields?: readonly string[];
}

/** One tenant's records in a collection. There is no way from here to another tenant's. */
export interface TenantScope<T extends Owned> {
  find(filter: QueryFilter<T>, options?: FindOptions): Promise<T[]>;
  findOne(filter: QueryFilter<T>): Promise<T | null>;
  count(filter: QueryFilter<T>): Promise<number>;
  insert(record: Omit<T, 'tenant_id'>): Promise<T>;
  /** Changes the one record that matches, atomically; answers it as it was `before` or is `after`, null without a match. */
  update(filter: QueryFilter<T>, update: UpdateQuery<T>, answer?: 'before' | 'after'): Promise<T | null>;
  /** How many were removed. */
  remove(filter: QueryFilter<T>): Promise<number>;
}

/**
 * The only door to records that belong to tenants. The tenant must come from a verified principal, never from params.
 * Its clause is written over the filter, so nothing in a filter can widen it.
 */
export function ofTenant<T extends Owned>(model: Model<T>, tenantId: string): TenantScope<T> {
  // An undefined tenant would be dropped from the filter by the driver, and match everyone's records.
  if (typeof tenantId !== 'string' || tenantId === '') throw new TypeError('A tenant is needed to reach its records');
  const own = (filter: QueryFilter<T>): QueryFilter<T> => ({ ...filter, tenant_id: tenantId });
  return {
    async find(filter, options = {}) {
      const query = model.find(own(filter));
      if (options.sort !== undefined) query.sort(options.sort);
      if (options.skip !== undefined) query.skip(options.skip);
      if (options.limit !== undefined) query.limit(options.limit);
      if (options.fields !== undefined) query.select([...options.fields]);
      return query.lean().exec();
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
