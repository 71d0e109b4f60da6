import type { Connection } from 'mongoose';
import { randomId } from '../../lib/ids';
import type { AuditLog } from '../../mixins/audit';
import { authModels, type TenantDoc } from './models';

/** What an operator works with, beside the running service or without it. */
export interface OperatorDeps {
  readonly db: Connection;
  readonly audit: AuditLog;
  readonly now: number;
}

/** The operator acts as the installation itself. */
export const acting = (tenantId: string) => ({
  tenantId,
  actor: { type: 'service' as const, id: null, email: null, ip: null },
  requestId: `operator-${randomId()}`,
});

/** @throws Error without such a tenant */
export async function tenantOf({ db }: OperatorDeps, slug: string): Promise<TenantDoc> {
  const tenant = await authModels(db).tenants.findOne({ slug }).lean();
  if (tenant === null) throw new Error(`There is no tenant ${slug}`);
  return tenant;
}
