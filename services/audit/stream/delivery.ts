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

/**
 * How often a stream that has sent everything looks for events. New events wake it; this finds those whose wake was lost.
 */
const POLL_MS = 30_000;
const BATCH = 50;
/** Longest time until the place is stored: what was sent since is sent again after a crash. */
const STORE_MS = 2_000;
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
  readonly streams: Model<AuditStreamDoc>;
  readonly egress: Pick<Egress, 'request'>;
}

/** Makes the stream of a tenant due, unless it is being sent, is paused or waits after a failure. Returns their number. */
export async function wakeStreams(
  streams: Model<AuditStreamDoc>,
  tenantIds: readonly string[],
  now: number,
): Promise<number> {
  const { modifiedCount } = await streams
    .updateMany(
      { _id: { $in: [...tenantIds] }, owner: null, failing_since: null, due_at: { $gt: new Date(now) } },
      { $set: { due_at: new Date(now) } },
    )
    .exec();
  return modifiedCount;
}

/** The place in a log up to which events were sent, with what else is stored with it. */
interface Progress {
  readonly next_seq: number;
  readonly last_sent_at: Date;
  readonly attempts: 0;
  readonly failing_since: null;
  readonly error: null;
}

/**
 * Sends the events of a stream one after the other, and stores the place after each batch. Events that were sent before a
 * crash and whose place was not stored are sent again, under the same ids.
 */
export const sendEvents =
  ({ app, events, streams, egress }: Deps) =>
  async (lease: Lease<AuditStreamDoc>): Promise<void> => {
    const { tenant_id: tenantId, url } = lease.record;
    const { clock } = app;
    const secret = openSecret(app.keyring, tenantId, lease.record);
    const until = clock.now() + MAX_TURN_MS;
    let next = lease.record.next_seq;
    let unstored: Progress | null = null;
    let storedAt = clock.now();
    const eventsFrom = (seq: number, limit: number): Promise<AuditRecord[]> =>
      ofTenant(events, tenantId).find(
        { _id: { ...placesOf(tenantId), $gte: placeOf(tenantId, seq) } },
        { sort: { _id: 1 }, limit },
      );
    const store = async (): Promise<void> => {
      if (unstored !== null) await lease.write(unstored);
      unstored = null;
      storedAt = clock.now();
    };

    while (clock.now() < until) {
      const records = await eventsFrom(next, BATCH);
      for (const record of records) {
        // A process that has taken the stream over sends from the stored place on.
        if (lease.signal.aborted) return lease.isLost ? undefined : store();
        const error = await send(record);
        if (error !== null) return fail(error);
        next = record.seq + 1;
        unstored = {
          next_seq: next,
          last_sent_at: new Date(clock.now()),
          attempts: 0,
          failing_since: null,
          error: null,
        };
        if (clock.now() - storedAt >= STORE_MS) await store();
      }
      if (records.length < BATCH) {
        await lease.release({ attempts: 0, ...unstored }, new Date(clock.now() + POLL_MS));
        // An event that was written after the read above did not wake a stream that was being sent.
        if ((await eventsFrom(next, 1)).length > 0) await wakeStreams(streams, [tenantId], clock.now());
        return;
      }
      await store();
    }
    await lease.release({ attempts: 0 }, new Date(clock.now()));

    async function fail(error: string): Promise<void> {
      const { attempts, failing_since: since } = { ...lease.record, ...unstored };
      const now = clock.now();
      await lease.release(
        { ...unstored, failing_since: since ?? new Date(now), error: error.slice(0, MAX_ERROR_CHARS) },
        new Date(now + backoffCeilingMs(RETRY, attempts)),
      );
    }

    /** Why the receiver does not have it; null: it has. */
    async function send(record: AuditRecord): Promise<string | null> {
      const event = eventOf(record);
      const message = { type: `audit.${event.action}`, timestamp: event.at, tenant_id: tenantId, data: event };
      const { status, error } = await deliver(egress, { url, secret }, event.id, message, clock.now());
      return error ?? (status !== null && status >= 200 && status < 300 ? null : `The receiver answered ${status}`);
    }
  };

/** The answer to one message: a status, or why there was none. */
interface Delivered {
  readonly status: number | null;
  readonly error: string | null;
}

/** Sends one signed message. Never rejects. */
export async function deliver(
  egress: Pick<Egress, 'request'>,
  { url, secret }: { readonly url: string; readonly secret: string },
  id: string,
  message: object,
  now: number,
): Promise<Delivered> {
  const body = JSON.stringify(message);
  try {
    const { status } = await egress.request({
      method: 'POST',
      url,
      headers: signedHeaders(secret, id, body, now),
      body,
      timeoutMs: REQUEST_TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
      maxRedirects: 0,
      idempotencyKey: id,
    });
    return { status, error: null };
  } catch (fault) {
    return { status: null, error: errorMessage(fault).slice(0, MAX_ERROR_CHARS) };
  }
}
