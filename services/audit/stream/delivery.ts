import type { Model } from 'mongoose';
import { backoffCeilingMs } from '../../../lib/backoff';
import type { Egress } from '../../../lib/egress';
import { errorMessage } from '../../../lib/errors';
import { signedHeaders } from '../../../lib/standard-webhook';
import { ofTenant } from '../../../lib/tenant';
import { type AuditRecord, eventOf, placeOf, placesOf } from '../../../mixins/audit/model';
import type { Lease } from '../../../mixins/leased-work/lease';
import type { App } from '../../app';
import { type AuditStreamDoc, openSecret } from './models';

/** How often a stream that has sent everything looks for events. */
const POLL_MS = 2_000;
const BATCH = 50;
/** Then other tenants get a turn. */
const MAX_TURN_MS = 20_000;
const REQUEST_TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;
const MAX_ERROR_CHARS = 500;
/** It never gives up: the events stay in the log. */
const RETRY = { firstMs: 2_000, maxMs: 600_000 };

interface Deps {
  readonly app: Pick<App, 'clock' | 'keyring'>;
  readonly events: Model<AuditRecord>;
  readonly egress: Pick<Egress, 'request'>;
}

/**
 * Sends the events of a stream one after the other, and stores the place after each. An event that was sent before a
 * crash is sent again, under the same id.
 */
export const sendEvents =
  ({ app, events, egress }: Deps) =>
  async (lease: Lease<AuditStreamDoc>): Promise<void> => {
    const { tenant_id: tenantId, url } = lease.record;
    const { clock } = app;
    const secret = openSecret(app.keyring, tenantId, lease.record);
    const until = clock.now() + MAX_TURN_MS;
    while (clock.now() < until) {
      const records = await ofTenant(events, tenantId).find(
        { _id: { ...placesOf(tenantId), $gte: placeOf(tenantId, lease.record.next_seq) } },
        { sort: { _id: 1 }, limit: BATCH },
      );
      for (const record of records) {
        if (lease.signal.aborted) return;
        const error = await send(record);
        if (error !== null) return fail(error);
        const now = new Date(clock.now());
        const next_seq = record.seq + 1;
        await lease.write({ next_seq, attempts: 0, last_sent_at: now, failing_since: null, error: null });
      }
      if (records.length < BATCH) {
        await lease.release({ attempts: 0 }, new Date(clock.now() + POLL_MS));
        return;
      }
    }
    await lease.release({ attempts: 0 }, new Date(clock.now()));

    async function fail(error: string): Promise<void> {
      const { attempts, failing_since: since } = lease.record;
      const now = clock.now();
      await lease.release(
        { failing_since: since ?? new Date(now), error: error.slice(0, MAX_ERROR_CHARS) },
        new Date(now + backoffCeilingMs(RETRY, attempts)),
      );
    }

    /** Why the receiver does not have it; null: it has. */
    async function send(record: AuditRecord): Promise<string | null> {
      const event = eventOf(record);
      const body = JSON.stringify({
        type: `audit.${event.action}`,
        timestamp: event.at,
        tenant_id: tenantId,
        data: event,
      });
      try {
        const { status } = await egress.request({
          method: 'POST',
          url,
          headers: signedHeaders(secret, event.id, body, clock.now()),
          body,
          timeoutMs: REQUEST_TIMEOUT_MS,
          maxBytes: MAX_ANSWER_BYTES,
          maxRedirects: 0,
          idempotencyKey: event.id,
        });
        return status >= 200 && status < 300 ? null : `The receiver answered ${status}`;
      } catch (fault) {
        return errorMessage(fault);
      }
    }
  };
