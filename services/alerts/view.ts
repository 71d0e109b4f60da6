import type { AlertIncident, AlertView, NotificationView } from '../../contracts/alerts';
import { channelView, type ChannelVault } from './channels';
import type { NotificationRecord, WatchRecord } from './models';
import type { Rule } from './rule';
import { durationText } from './rules/words';
import { watchOf } from './watch-store';

/** A rule as its tenant sees it. `fresh`: ids of webhooks whose secret is shown, as it was made in this request. */
export function alertView(
  rule: Rule,
  vault: ChannelVault,
  firing: readonly WatchRecord[],
  fresh: ReadonlySet<string> = new Set(),
): AlertView {
  const { record, scope, condition } = rule;
  const incidents = firing
    .filter(({ epoch }) => epoch === record.epoch)
    .flatMap((each) => incidentOf(each) ?? [])
    .sort((a, b) => (a.since < b.since ? -1 : 1));
  return {
    id: record._id,
    name: record.name,
    enabled: record.enabled,
    scope,
    condition,
    channels: vault.open(record).map((channel) => channelView(channel, fresh)),
    quiet_period: durationText(record.quiet_ms).replace(' ', ''),
    muted_until: record.muted_until?.toISOString() ?? null,
    state: !record.enabled ? 'disabled' : incidents.length > 0 ? 'firing' : 'ok',
    firing_since: record.enabled ? (incidents[0]?.since ?? null) : null,
    incidents: record.enabled ? incidents : [],
    created_by: record.created_by,
    created_at: record.created_at.toISOString(),
    updated_at: record.updated_at.toISOString(),
  };
}

function incidentOf(record: WatchRecord): AlertIncident | null {
  const { incident } = watchOf(record);
  if (incident.kind !== 'firing') return null;
  const { since, count, runs, detail } = incident.track;
  return {
    workflow_id: record.workflow_id,
    workflow_name: record.workflow_name,
    since: new Date(since).toISOString(),
    count,
    execution_ids: [...runs],
    detail,
  };
}

export const notificationView = (record: NotificationRecord): NotificationView => ({
  id: record._id,
  alert_id: record.rule_id,
  kind: record.kind,
  workflow_id: record.workflow_id,
  workflow_name: record.workflow_name,
  subject: record.subject,
  text: record.text,
  channel: { kind: record.channel, target: record.target },
  status: record.status,
  attempts: record.attempts,
  error: record.error,
  created_at: record.created_at.toISOString(),
  sent_at: record.sent_at?.toISOString() ?? null,
});
