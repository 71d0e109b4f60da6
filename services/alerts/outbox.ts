import type { NoticeKind } from '../../contracts/alerts';
import { isDuplicateKey } from '../../lib/duplicate-key';
import { derivedId, randomId } from '../../lib/ids';
import { ofTenant } from '../../lib/tenant';
import type { Call } from '../../contracts/catalogue';
import type { App } from '../app';
import type { Channel, ChannelVault } from './channels';
import { consoleOf } from './console';
import { type AlertModels, type NotificationRecord, raw } from './models';
import { type NoticeFacts, subjectOf, textOf } from './notices';
import type { Rule } from './rule';
import type { Notice } from './rules/incident';
import type { Subject } from './watch-store';

const KEPT_MS = 90 * 86_400_000;
/** Mails of a tenant in an hour. */
const MAX_MAILS = 200;
const HOUR_MS = 3_600_000;

interface Deps {
  readonly app: Pick<App, 'config' | 'keys'>;
  readonly models: Pick<AlertModels, 'notifications'>;
  readonly vault: ChannelVault;
  readonly call: Call;
  readonly now: () => number;
  /** Called when there is something to send. */
  readonly wake: () => void;
}

/** A channel, and of a mail one of its receivers. */
interface Receiver {
  readonly channel: Channel;
  readonly target: string;
  /** Why nothing is sent to it; null: it is. */
  readonly refusal: string | null;
}

/** Makes the notifications of notices. The id of each is derived from the notice, so a repetition makes none twice. */
export class NoticeOutbox {
  constructor(private readonly deps: Deps) {}

  /** Makes the notifications of what a watch has to tell. */
  async put({ rule, workflowId, workflowName }: Subject, notices: readonly Notice[]): Promise<void> {
    if (notices.length === 0) return;
    const { record } = rule;
    const records = await this.#records(
      rule,
      notices.map((notice) => ({
        facts: factsOf(rule, workflowId, workflowName, notice),
        id: [
          record.tenant_id,
          record._id,
          String(record.epoch),
          workflowId ?? '',
          String(notice.number),
          String(notice.seq),
        ],
      })),
    );
    await this.#insert(records);
  }

  /** Makes the notifications of a test, which is another one each time. */
  async putTest(rule: Rule): Promise<NotificationRecord[]> {
    const at = this.deps.now();
    const facts: NoticeFacts = {
      kind: 'test',
      at,
      rule: { id: rule.record._id, name: rule.record.name, condition: rule.condition },
      workflow: null,
      incident: 0,
      sequence: 1,
      since: at,
      count: 1,
      runs: [],
      detail: 'this is how a notice of this rule looks',
    };
    const records = await this.#records(rule, [{ facts, id: ['test', rule.record._id, randomId()] }]);
    await this.#insert(records);
    return records;
  }

  async #records(
    rule: Rule,
    notices: readonly { readonly facts: NoticeFacts; readonly id: readonly string[] }[],
  ): Promise<NotificationRecord[]> {
    const { app, now } = this.deps;
    const receivers = await this.#receivers(rule);
    const created = now();
    const console = consoleOf(app.config);
    return notices.flatMap(({ facts, id }, index) =>
      receivers.map(
        ({ channel, target, refusal }): NotificationRecord => ({
          _id: derivedId(app.keys.ids, 'alert', ...id, channel.id, channel.kind === 'mail' ? target : ''),
          tenant_id: rule.record.tenant_id,
          rule_id: rule.record._id,
          kind: facts.kind satisfies NoticeKind,
          workflow_id: facts.workflow?.id ?? null,
          workflow_name: facts.workflow?.name ?? null,
          subject: subjectOf(facts),
          text: textOf(facts, console),
          facts: JSON.stringify(facts),
          channel_id: channel.id,
          channel: channel.kind,
          target,
          status: refusal === null ? 'pending' : 'withheld',
          attempts: 0,
          failures: 0,
          wake_at: refusal === null ? new Date(created + index) : null,
          error: refusal,
          // Of several notices, the order is that of their causes.
          created_at: new Date(created + index),
          sent_at: null,
          expires_at: new Date(created + KEPT_MS),
        }),
      ),
    );
  }

  async #receivers({ record }: Rule): Promise<Receiver[]> {
    const channels = this.deps.vault.open(record);
    const mails = channels.some(({ kind }) => kind === 'mail') ? await this.#mailsLeft(record.tenant_id) : 0;
    let left = mails;
    const receivers: Receiver[] = [];
    for (const channel of channels) {
      if (channel.kind !== 'mail') {
        const target = channel.kind === 'webhook' ? new URL(channel.url).host : channel.action;
        receivers.push({ channel, target, refusal: null });
        continue;
      }
      for (const target of await this.#addresses(record.tenant_id, channel.to)) {
        left -= 1;
        const refusal = left < 0 ? `alerts of a tenant send at most ${MAX_MAILS} mails an hour` : null;
        receivers.push({ channel, target, refusal });
      }
    }
    return receivers;
  }

  async #mailsLeft(tenantId: string): Promise<number> {
    const since = new Date(this.deps.now() - HOUR_MS);
    const recent = { channel: 'mail' as const, created_at: { $gte: since } };
    return MAX_MAILS - (await ofTenant(this.deps.models.notifications, tenantId).count(recent));
  }

  async #addresses(tenantId: string, to: readonly string[]): Promise<string[]> {
    const { data } = await this.deps.call('auth.mailboxes', { to: [...to] }, { asServiceOf: tenantId });
    return data;
  }

  async #insert(records: readonly NotificationRecord[]): Promise<void> {
    if (records.length === 0) return;
    try {
      await raw(this.deps.models.notifications).insertMany([...records], { ordered: false });
    } catch (fault) {
      // The unordered insert has written all others.
      if (!isDuplicateKey(fault)) throw fault;
    }
    this.deps.wake();
  }
}

const factsOf = (
  rule: Rule,
  workflowId: string | null,
  workflowName: string | null,
  { kind, at, since, count, runs, detail, number, seq }: Notice,
): NoticeFacts => ({
  kind,
  at,
  rule: { id: rule.record._id, name: rule.record.name, condition: rule.condition },
  workflow: workflowId === null ? null : { id: workflowId, name: workflowName ?? workflowId },
  incident: number,
  sequence: seq,
  since,
  count,
  runs,
  detail,
});
