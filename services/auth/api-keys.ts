import { randomBytes } from 'node:crypto';
import type { Clock } from '../../lib/clock';
import { sameText, sha256 } from '../../lib/crypto';
import { AppError } from '../../lib/errors';
import type { KeyScope } from '../../lib/key-scopes';
import type { Principal } from '../../lib/principal';
import { isBelow } from '../../lib/roles';
import { ofTenant } from '../../lib/tenant';
import type { ApiKeyDoc, AuthModels } from './models';
import type { Page } from '../../lib/page';
import { UseRecorder } from './use-recorder';

const PREFIX = 'evs_';
const SHOWN = PREFIX.length + 6;
const USE_RECORDED_EVERY_MS = 60_000;
const MAX_KEYS_PER_TENANT = 1_000;

export const isApiKey = (token: string): boolean => token.startsWith(PREFIX);

/** A new key. The caller generates the id, so that the audit event can contain it. */
interface NewKey {
  readonly id: string;
  readonly tenantId: string;
  readonly userId: string;
  readonly createdBy: string;
  readonly name: string;
  readonly scope: KeyScope;
  readonly expiresAt: Date | null;
}

/** Long-lived credentials of users: `evs_` and 256 random bits. Only the SHA-256 is stored. */
export class ApiKeys {
  readonly #uses: UseRecorder;

  constructor(
    private readonly models: AuthModels,
    private readonly clock: Clock,
    onError: (error: unknown) => void,
  ) {
    this.#uses = new UseRecorder({
      everyMs: USE_RECORDED_EVERY_MS,
      clock,
      onError,
      write: (id, now, before) => {
        const unrecorded = [{ last_used_at: null }, { last_used_at: { $lt: before } }];
        return models.apiKeys.updateOne({ _id: id, $or: unrecorded }, { $set: { last_used_at: now } });
      },
    });
  }

  /** @throws AppError conflict at the limit */
  async create(wanted: NewKey): Promise<{ stored: ApiKeyDoc; key: string }> {
    const keys = ofTenant(this.models.apiKeys, wanted.tenantId);
    if ((await keys.count({})) >= MAX_KEYS_PER_TENANT) {
      throw new AppError(
        'conflict',
        `A tenant has at most ${MAX_KEYS_PER_TENANT} API keys; revoke one that is not in use`,
      );
    }
    const { key, ...value } = newValue();
    const stored = await keys.insert({
      _id: wanted.id,
      user_id: wanted.userId,
      created_by: wanted.createdBy,
      name: wanted.name,
      scope: wanted.scope,
      ...value,
      created_at: new Date(this.clock.now()),
      expires_at: wanted.expiresAt,
      last_used_at: null,
    });
    return { stored, key };
  }

  /** Gives a key another value; the one of before is accepted until `validUntil`. @throws AppError not_found, conflict */
  async rotate(
    before: ApiKeyDoc,
    { expiresAt, validUntil }: { expiresAt: Date | null; validUntil: Date },
  ): Promise<{ stored: ApiKeyDoc; key: string }> {
    const { key, ...value } = newValue();
    const set = {
      ...value,
      rotated_at: new Date(this.clock.now()),
      expires_at: expiresAt,
      previous: { hash: before.hash, valid_until: validUntil },
    };
    // Of two rotations at once, one would lose the value that the other has shown.
    const stored = await ofTenant(this.models.apiKeys, before.tenant_id).update(
      { _id: before._id, hash: before.hash },
      { $set: set },
    );
    if (stored === null)
      throw new AppError('conflict', 'The key was rotated or revoked meanwhile; list the keys again');
    return { stored, key };
  }

  /** Oldest first. */
  list(reader: Principal, page: Page): Promise<ApiKeyDoc[]> {
    const options = { sort: { created_at: 1, _id: 1 } as const, ...page };
    return ofTenant(this.models.apiKeys, reader.tenant_id).find(ownedBy(reader), options);
  }

  /** A key that the caller may rotate and revoke. @throws AppError not_found */
  async get(by: Principal, id: string): Promise<ApiKeyDoc> {
    const found = await ofTenant(this.models.apiKeys, by.tenant_id).findOne({ ...ownedBy(by), _id: id });
    if (found === null) throw noSuchKey();
    return found;
  }

  /** @throws AppError not_found */
  async revoke(by: Principal, id: string): Promise<void> {
    const removed = await ofTenant(this.models.apiKeys, by.tenant_id).remove({ ...ownedBy(by), _id: id });
    if (removed === 0) throw noSuchKey();
  }

  /** The record of a value that is accepted, and since when it is one; null for an unknown or expired value. */
  async find(key: string): Promise<{ record: ApiKeyDoc; since: Date } | null> {
    const hash = sha256(key);
    const record = await this.models.apiKeys.findOne({ $or: [{ hash }, { 'previous.hash': hash }] }).lean();
    if (record === null) return null;
    const now = new Date(this.clock.now());
    if ((record.expires_at ?? null) !== null && (record.expires_at as Date) <= now) return null;
    if (sameText(record.hash, hash)) return { record, since: record.rotated_at ?? record.created_at };
    const { previous } = record;
    if (previous === undefined || !sameText(previous.hash, hash) || previous.valid_until <= now) return null;
    return { record, since: record.created_at };
  }

  used(id: string): void {
    this.#uses.record(id);
  }
}

function newValue(): { key: string; prefix: string; hash: string } {
  const key = `${PREFIX}${randomBytes(32).toString('base64url')}`;
  return { key, prefix: key.slice(0, SHOWN), hash: sha256(key) };
}

const noSuchKey = (): AppError => new AppError('not_found', 'There is no such API key');

/** Members and viewers see and revoke their own keys; admins and owners all keys of the tenant. */
const ownedBy = ({ user_id, role }: Principal): { user_id?: string } =>
  isBelow(role, 'admin') && user_id !== null ? { user_id } : {};
