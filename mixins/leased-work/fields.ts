/** Schema fields of records with a lease (see LeaseFields). */
export const leaseFields = {
  due_at: { type: Date, default: null },
  owner: { type: String, default: null },
  attempts: { type: Number, default: 0 },
} as const;

/** Index for claims. It includes the tenant, so that tenants that the round skips cost no document read. */
export const DUE_INDEX = [
  { due_at: 1, tenant_id: 1 },
  { partialFilterExpression: { due_at: { $gt: new Date(0) } } },
] as const;
