import { randomBytes } from 'node:crypto';
import type { Clock } from '../../lib/clock';
import { sameText, sha256 } from '../../lib/crypto';
import { AppError } from '../../lib/errors';
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

  /** The caller generates the id, so that the audit event can contain it. @throws AppError conflict at the limit */
  async create(
    owner: Principal & { user_id: string },
    { id, name }: { id: string; name: string },
  ): Promise<{ stored: ApiKeyDoc; key: string }> {
    const keys = ofTenant(this.models.apiKeys, owner.tenant_id);
    if ((await keys.count({})) >= MAX_KEYS_PER_TENANT) {
      throw new AppError(
        'conflict',
        `A tenant has at most ${MAX_KEYS_PER_TENANT} API keys; revoke one that is not in use`,
      );
    }
    const key = `${PREFIX}${randomBytes(32).toString('base64url')}`;
    const stored = await keys.insert({
      _id: id,
      user_id: owner.user_id,
      name,
      prefix: key.slice(0, SHOWN),
      hash: sha256(key),
      created_at: new Date(this.clock.now()),
      last_used_at: null,
    });
    return { stored, key };
  }

  /** Oldest first. */
  list(reader: Principal, page: Page): Promise<ApiKeyDoc[]> {
    const options = { sort: { created_at: 1, _id: 1 } as const, ...page };
    return ofTenant(this.models.apiKeys, reader.tenant_id).find(ownedBy(reader), options);
  }

  /** A key that the caller may revoke. @throws AppError not_found */
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

  /** The record of a key; null for an unknown key. */
  async find(key: string): Promise<ApiKeyDoc | null> {
    const hash = sha256(key);
    const found = await this.models.apiKeys.findOne({ hash }).lean();
    return found !== null && sameText(found.hash, hash) ? found : null;
  }

  used(id: string): void {
    this.#uses.record(id);
  }
}

const noSuchKey = (): AppError => new AppError('not_found', 'There is no such API key');

/** Members and viewers see and revoke their own keys; admins and owners all keys of the tenant. */
const ownedBy = ({ user_id, role }: Principal): { user_id?: string } =>
  isBelow(role, 'admin') && user_id !== null ? { user_id } : {};
