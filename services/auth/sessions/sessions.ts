import type { Clock } from '../../../lib/clock';
import { AppError } from '../../../lib/errors';
import type { Page } from '../../../lib/page';
import { ofTenant } from '../../../lib/tenant';
import type { AuthModels, SessionDoc, UserDoc } from '../models';
import { LIFETIME_MS } from '../tokens';
import { UseRecorder } from '../use-recorder';

const USE_RECORDED_EVERY_MS = 5 * 60_000;
const CONFIRMED_FOR_MS = 10 * 60_000;

/** How a session began, and where. */
export type SessionOrigin = Pick<SessionDoc, 'via' | 'device' | 'address'>;

type Owner = Pick<UserDoc, '_id' | 'tenant_id' | 'sessions_valid_from' | 'kept_session'>;

/**
 * What ends all sessions of a user that began before, except one. A token whose session begins right after is valid:
 * it is never issued before this time.
 */
export const sessionsEnded = (now: number, kept: string | null = null) => ({
  sessions_valid_from: new Date(now + 1),
  kept_session: kept,
});

/**
 * Records of sessions. The id is that of the session's token. The record is for display: what is checked at each
 * request is `ended_sessions` and the user's `sessions_valid_from`, so tokens of earlier versions, which have no
 * record, end in the same ways.
 */
export class Sessions {
  readonly #uses: UseRecorder;

  constructor(
    private readonly models: AuthModels,
    clock: Clock,
    onError: (error: unknown) => void,
  ) {
    this.#uses = new UseRecorder({
      everyMs: USE_RECORDED_EVERY_MS,
      clock,
      onError,
      write: (id, now, before) =>
        models.sessions.updateOne({ _id: id, last_used_at: { $lt: before } }, { $set: { last_used_at: now } }),
    });
  }

  /** The record is written before the token is issued, so that no token of this version lacks one. */
  async begin(id: string, user: UserDoc, origin: SessionOrigin, now: number): Promise<void> {
    const began = new Date(now);
    await ofTenant(this.models.sessions, user.tenant_id).insert({
      _id: id,
      user_id: user._id,
      ...origin,
      created_at: began,
      last_used_at: began,
      expires_at: new Date(now + LIFETIME_MS),
    });
  }

  /** Sessions that are valid, newest first. */
  list(user: Owner, now: number, page: Page): Promise<SessionDoc[]> {
    const options = { sort: { created_at: -1, _id: -1 } as const, ...page };
    return ofTenant(this.models.sessions, user.tenant_id).find(validOf(user, now), options);
  }

  /** A valid session of the user. @throws AppError not_found */
  async get(user: Owner, id: string, now: number): Promise<SessionDoc> {
    const found = await ofTenant(this.models.sessions, user.tenant_id).findOne({ ...validOf(user, now), _id: id });
    if (found === null) throw new AppError('not_found', 'There is no such session; it may have ended');
    return found;
  }

  find(tenantId: string, id: string): Promise<SessionDoc | null> {
    return ofTenant(this.models.sessions, tenantId).findOne({ _id: id });
  }

  /** Ends one session, with or without a record. */
  async end(tenantId: string, id: string, expiresAt: Date): Promise<void> {
    await this.models.endedSessions.updateOne({ _id: id }, { $set: { expires_at: expiresAt } }, { upsert: true });
    await ofTenant(this.models.sessions, tenantId).remove({ _id: id });
  }

  /** Ends all sessions of a user in one write, except one when it is named. */
  async endAll(tenantId: string, userId: string, now: number, kept: string | null = null): Promise<void> {
    const users = ofTenant(this.models.users, tenantId);
    await users.update({ _id: userId }, { $set: sessionsEnded(now, kept) });
  }

  /** Notes that the person at a session has shown who it is. */
  async confirm(tenantId: string, id: string, now: number): Promise<void> {
    await ofTenant(this.models.sessions, tenantId).update({ _id: id }, { $set: { confirmed_at: new Date(now) } });
  }

  /** The id of a session whose person was confirmed lately. @throws AppError reauthentication_required */
  async confirmed(tenantId: string, id: string | undefined, now: number): Promise<string> {
    const found = await ofTenant(this.models.sessions, tenantId).findOne({ _id: id ?? '' });
    const at = found === null ? 0 : (found.confirmed_at ?? found.created_at).getTime();
    if (found !== null && now - at <= CONFIRMED_FOR_MS) return found._id;
    throw new AppError(
      'reauthentication_required',
      'Confirm that it is you: POST /api/v1/auth/confirm with the password or a code, or sign in again; then repeat this within 10 minutes',
    );
  }

  used(id: string): void {
    this.#uses.record(id);
  }
}

const validOf = ({ _id, sessions_valid_from, kept_session }: Owner, now: number) => ({
  user_id: _id,
  expires_at: { $gt: new Date(now) },
  $or: [{ created_at: { $gte: sessions_valid_from ?? new Date(0) } }, { _id: kept_session ?? '' }],
});
