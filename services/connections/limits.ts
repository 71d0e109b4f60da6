import type { ConnectionLimitsView } from '../../contracts/connections';
import { auditedBy } from '../../mixins/audit';
import type { ActionContext } from '../../mixins/service';
import { AppError } from '../../lib/errors';
import type { ConnectionDeps } from './deps';
import type { ConnectionDoc } from './models';
import { targetOf } from './view';

/** No provider holds back a connection for longer. */
const MAX_PAUSE_MS = 15 * 60_000;

/** The limits of a request; null without any. */
export function limitsOf({
  rate = null,
  concurrency = null,
}: Partial<ConnectionLimitsView>): ConnectionLimitsView | null {
  return rate === null && concurrency === null ? null : { rate, concurrency };
}

/** Replaces the limits of a connection; steps on all hosts keep to them from here on. @throws AppError not_found */
export async function setLimits(
  { app, store, invalidateCredentials }: ConnectionDeps,
  ctx: ActionContext<'connections.set_limits'>,
): Promise<ConnectionDoc> {
  const { params, tenantId } = ctx;
  const found = await store.get(tenantId, params.id);
  const limits = limitsOf(params);
  const shown = (of: ConnectionLimitsView | null | undefined) => ({
    rate: of?.rate === undefined || of.rate === null ? null : { ...of.rate },
    concurrency: of?.concurrency ?? null,
  });
  const event = {
    action: 'connection.limits',
    target: targetOf(found),
    before: shown(found.limits),
    after: shown(limits),
  };
  const updated = await app.audit.audited(auditedBy(ctx), event, () =>
    store.scope(tenantId).update({ _id: found._id }, { $set: { limits, updated_at: new Date(app.clock.now()) } }),
  );
  await invalidateCredentials(tenantId);
  if (updated === null) throw new AppError('not_found', `Connection ${found._id} not found`);
  return updated;
}

/** Holds back the steps that use a connection; a longer pause stays. */
export async function pauseConnection(
  { app, store, invalidateCredentials }: ConnectionDeps,
  { params, tenantId }: ActionContext<'connections.pause'>,
): Promise<void> {
  const until = new Date(Math.min(params.until, app.clock.now() + MAX_PAUSE_MS));
  const paused = await store.scope(tenantId).update({ _id: params.id }, { $max: { paused_until: until } }, 'before');
  // Many steps may be refused at once.
  if (paused !== null && (paused.paused_until ?? new Date(0)) < until) await invalidateCredentials(tenantId);
}
