import { randomId } from '../../../../lib/ids';
import type { Acting, AuditLog } from '../../../../mixins/audit';
import { type AuditRecord, auditModels, placesOf } from '../../../../mixins/audit/model';
import type { App } from '../../../../services/app';

/** A user of a tenant of their own; fields left out are made up. */
export const actingUser = (tenantId = randomId(), email = 'ann@example.com'): Acting => ({
  tenantId,
  actor: { type: 'user', id: 'user-1', email, ip: '192.0.2.1' },
  requestId: 'request-1',
});

export const THING = { type: 'thing', id: 'thing-1', name: 'A thing' } as const;

/** Writes so many events, one after the other, and waits until the head is stored. */
export async function poke(log: AuditLog, who: Acting, times: number): Promise<void> {
  for (let n = 1; n <= times; n += 1) await log.note(who, { action: 'thing.poke', target: THING, after: { n } });
  await log.settled();
}

/** A tenant's records as they lie, in order. */
export const chainOf = (app: App, tenantId: string): Promise<AuditRecord[]> =>
  auditModels(app.db)
    .events.find({ _id: placesOf(tenantId) })
    .sort({ _id: 1 })
    .lean()
    .exec() as Promise<AuditRecord[]>;
