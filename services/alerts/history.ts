import type { QueryFilter } from 'mongoose';
import type { NoticeKind, NotificationView } from '../../contracts/alerts';
import { afterRow, decodeCursor, encodeCursor, invalidCursor } from '../../lib/cursor';
import { ofTenant } from '../../lib/tenant';
import type { AlertModels, NotificationRecord } from './models';
import { notificationView } from './view';

interface HistoryQuery {
  readonly ruleId: string;
  readonly kind?: NoticeKind | undefined;
  readonly cursor?: string | undefined;
  readonly limit: number;
  readonly offset: number;
  /** Leaves out what the caller may not see. */
  readonly visible?: QueryFilter<NotificationRecord>;
}

/** Notifications of a rule, newest first. @throws AppError invalid_request */
export async function notificationPage(
  { notifications }: Pick<AlertModels, 'notifications'>,
  tenantId: string,
  { ruleId, kind, cursor, limit, offset, visible = {} }: HistoryQuery,
): Promise<{ data: NotificationView[]; next: string | null }> {
  const filter: QueryFilter<NotificationRecord> = {
    ...visible,
    rule_id: ruleId,
    ...(kind === undefined ? {} : { kind }),
    ...(cursor === undefined ? {} : afterCursor(cursor)),
  };
  const found = await ofTenant(notifications, tenantId).find(filter, {
    sort: { created_at: -1, _id: 1 },
    offset: cursor === undefined ? offset : 0,
    limit: limit + 1,
  });
  const rows = found.slice(0, limit);
  const last = found.length > limit ? rows.at(-1) : undefined;
  return {
    data: rows.map(notificationView),
    next: last === undefined ? null : encodeCursor(last.created_at.getTime(), last._id),
  };
}

function afterCursor(cursor: string): QueryFilter<NotificationRecord> {
  const [at, id] = decodeCursor(cursor);
  if (!Number.isSafeInteger(at) || typeof id !== 'string') throw invalidCursor();
  return afterRow('created_at', -1, new Date(at as number), id);
}
