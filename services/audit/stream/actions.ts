import type { Model } from 'mongoose';
import type { AuditStreamView } from '../../../contracts/audit';
import type { Egress } from '../../../lib/egress';
import { AppError } from '../../../lib/errors';
import { randomId } from '../../../lib/ids';
import { isWebhookUrl, maskedUrl, newWebhookSecret } from '../../../lib/standard-webhook';
import { ofTenant } from '../../../lib/tenant';
import { auditedBy } from '../../../mixins/audit';
import { type AuditRecord, placesOf } from '../../../mixins/audit/model';
import type { ActionContext, Handlers } from '../../../mixins/service';
import type { App } from '../../app';
import { deliver } from './delivery';
import { type AuditStreamDoc, openSecret, sealSecret } from './models';

type Actions = Pick<
  Handlers<'audit'>,
  'stream' | 'set_stream' | 'remove_stream' | 'pause_stream' | 'resume_stream' | 'test_stream'
>;

interface Deps {
  readonly app: App;
  readonly streams: Model<AuditStreamDoc>;
  readonly events: Model<AuditRecord>;
  readonly egress: Pick<Egress, 'request'>;
  /** Called when there may be something to send. */
  readonly wake: () => void;
}

/** The webhook that gets the events of a tenant. */
export const streamActions = ({ app, streams, events, egress, wake }: Deps): Actions => {
  const find = (tenantId: string): Promise<AuditStreamDoc | null> =>
    ofTenant(streams, tenantId).findOne({ _id: tenantId });

  const lastSeq = async (tenantId: string): Promise<number> => {
    const options = { sort: { _id: -1 }, limit: 1, fields: ['seq'] } as const;
    const [newest] = await ofTenant(events, tenantId).find({ _id: placesOf(tenantId) }, options);
    return newest?.seq ?? 0;
  };

  /** @throws AppError not_found */
  const needed = async (tenantId: string): Promise<AuditStreamDoc> => {
    const stream = await find(tenantId);
    if (stream !== null) return stream;
    throw new AppError('not_found', 'There is no audit stream: PUT /api/v1/audit/stream sets one up');
  };

  /** Pauses or resumes. Events of a pause are sent afterwards: the log is the queue. */
  const setPaused = async (ctx: ActionContext<'audit.pause_stream' | 'audit.resume_stream'>, paused: boolean) => {
    const { tenantId } = ctx;
    const before = await needed(tenantId);
    if (isPaused(before) === paused) return viewOf(before, await lastSeq(tenantId));
    const now = new Date(app.clock.now());
    const change = {
      action: paused ? 'audit_stream.pause' : 'audit_stream.resume',
      target: { type: 'audit_stream', id: tenantId, name: maskedUrl(before.url) },
    };
    const fields = { paused_at: paused ? now : null, due_at: paused ? null : now, owner: null, attempts: 0 };
    const stored = await app.audit.audited(auditedBy(ctx), change, () =>
      ofTenant(streams, tenantId).update({ _id: tenantId }, { $set: fields }),
    );
    if (!paused) wake();
    return viewOf(stored ?? before, await lastSeq(tenantId));
  };

  return {
    pause_stream: (ctx) => setPaused(ctx, true),
    resume_stream: (ctx) => setPaused(ctx, false),
    async test_stream(ctx) {
      const { tenantId } = ctx;
      const stream = await needed(tenantId);
      const { url } = stream;
      const target = { type: 'audit_stream', id: tenantId, name: maskedUrl(url) };
      await app.audit.note(auditedBy(ctx), { action: 'audit_stream.test', target });
      const now = app.clock.now();
      const message = {
        type: 'audit.test',
        timestamp: new Date(now).toISOString(),
        tenant_id: tenantId,
        data: { message: 'A test of the audit stream.' },
      };
      const secret = openSecret(app.keyring, tenantId, stream);
      const { status, error } = await deliver(egress, { url, secret }, randomId(), message, now);
      const delivered = status !== null && status >= 200 && status < 300;
      return { delivered, status, error, duration_ms: app.clock.now() - now };
    },
    async stream({ tenantId }) {
      const [stream, last] = await Promise.all([find(tenantId), lastSeq(tenantId)]);
      return { stream: stream === null ? null : viewOf(stream, last) };
    },
    async set_stream(ctx) {
      const { params, tenantId } = ctx;
      const { url, secret = null, from_seq } = params;
      const [before, last] = [await find(tenantId), await lastSeq(tenantId)];
      const wanted = before !== null && url === maskedUrl(before.url) ? before.url : url;
      if (!isWebhookUrl(wanted)) throw invalidUrl();
      const fresh = secret === null && before === null ? newWebhookSecret() : null;
      const value = secret ?? fresh ?? openSecret(app.keyring, tenantId, before as AuditStreamDoc);
      const now = new Date(app.clock.now());
      const fields = {
        url: wanted,
        ...sealSecret(app.keyring, tenantId, value),
        next_seq: from_seq ?? before?.next_seq ?? last + 1,
        failing_since: null,
        error: null,
        // Ends the lease of a process that still sends to where it was.
        owner: null,
        attempts: 0,
        due_at: before !== null && isPaused(before) ? null : now,
      };
      const change = {
        action: 'audit_stream.set',
        target: { type: 'audit_stream', id: tenantId, name: maskedUrl(wanted) },
        before: before === null ? null : { url: maskedUrl(before.url), next_seq: before.next_seq },
        after: { url: maskedUrl(wanted), next_seq: fields.next_seq },
      };
      const stored = await app.audit.audited(auditedBy(ctx), change, async () => {
        const created = { tenant_id: tenantId, last_sent_at: null, created_at: now };
        return streams
          .findOneAndUpdate(
            { _id: tenantId },
            { $set: fields, $setOnInsert: created },
            { upsert: true, returnDocument: 'after' },
          )
          .lean<AuditStreamDoc>()
          .exec();
      });
      wake();
      return { ...viewOf(stored, await lastSeq(tenantId)), secret: fresh };
    },
    async remove_stream(ctx) {
      const before = await needed(ctx.tenantId);
      const change = {
        action: 'audit_stream.remove',
        target: { type: 'audit_stream', id: ctx.tenantId, name: maskedUrl(before.url) },
        before: { url: maskedUrl(before.url), next_seq: before.next_seq },
      };
      await app.audit.audited(auditedBy(ctx), change, () =>
        ofTenant(streams, ctx.tenantId).remove({ _id: ctx.tenantId }),
      );
    },
  };
};

const isPaused = ({ paused_at: since = null }: AuditStreamDoc): boolean => since !== null;

function invalidUrl(): AppError {
  const message = "The 'url' must be an http or https URL without a user and password";
  return new AppError('invalid_request', message, { details: [{ path: 'url', message }] });
}

function viewOf(stream: AuditStreamDoc, lastSeq: number): AuditStreamView {
  const { failing_since: since } = stream;
  return {
    url: maskedUrl(stream.url),
    state: isPaused(stream) ? 'paused' : since === null ? 'ok' : 'failing',
    next_seq: stream.next_seq,
    behind: Math.max(0, lastSeq + 1 - stream.next_seq),
    last_sent_at: stream.last_sent_at?.toISOString() ?? null,
    failing_since: since?.toISOString() ?? null,
    error: stream.error,
    next_attempt_at: since === null || isPaused(stream) ? null : (stream.due_at?.toISOString() ?? null),
    created_at: stream.created_at.toISOString(),
  };
}
