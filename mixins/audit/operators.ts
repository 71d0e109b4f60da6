import type { ActionContext } from '../service';
import type { ActionName } from '../../contracts/catalogue';
import { type Acting, auditedBy, type AuditChange, type AuditLog } from './index';

/** The chain of what operators do. Ids of tenants are UUIDs, so no tenant has it. */
export const OPERATORS_LOG = 'operators';

type Caller = Pick<ActionContext<ActionName>, 'principal' | 'origin' | 'requestId' | 'tenantId'>;

/**
 * Runs a change of an operator that concerns a tenant, recorded in the log of operators and in that of the tenant, which
 * names the installation and not the person.
 */
export function auditedByOperator<T>(
  audit: AuditLog,
  ctx: Caller,
  tenantId: string,
  change: AuditChange,
  act: () => Promise<T>,
): Promise<T> {
  const operator: Acting = { ...auditedBy(ctx), tenantId: OPERATORS_LOG };
  const installation: Acting = {
    tenantId,
    actor: { type: 'service', id: null, email: null, ip: null },
    requestId: ctx.requestId,
  };
  return audit.audited(operator, change, () => audit.audited(installation, change, act));
}
