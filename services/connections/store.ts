import { isDuplicateKey } from '../../lib/duplicate-key';
import { AppError } from '../../lib/errors';
import { isUuid } from '../../lib/ids';
import { ofTenant, type TenantScope } from '../../mixins/tenant';
import type { ConnectionDoc, ConnectionModels } from './models';
import { isExpired } from './renewal/rules';

/** How many connections a tenant may have. */
const MOST = 1_000;
/** How many numbers are tried behind a name that is taken. */
const MOST_NUMBERS = 200;
const LONGEST_NAME = 100;
/** Of those that fit a step which names none. */
const MOST_LOOKED_AT = 50;

/** What a new connection is, but for what follows from its being new. */
export type Fresh = Omit<
  ConnectionDoc,
  'tenant_id' | 'name' | 'status' | 'generation' | 'refreshing' | 'retry_at' | 'updated_at' | 'last_used_at'
>;

/** Why a name will not do; null when it will. Steps may name an id instead, so that no name may look like one. */
export function nameFault(name: string): string | null {
  if (name.trim() === '' || name.length > LONGEST_NAME) return `must have 1 to ${LONGEST_NAME} characters`;
  if (/[\p{Cc}\p{Cs}]/u.test(name) || name !== name.trim())
    return 'must have neither control characters nor blanks around it';
  return isUuid(name) ? 'must not look like an id' : null;
}

/** @throws AppError invalid_request */
export function assertName(name: string): void {
  const fault = nameFault(name);
  if (fault === null) return;
  throw new AppError('invalid_request', `The 'name' ${fault}`, { details: [{ path: 'name', message: fault }] });
}

/** The connections of all tenants, one tenant at a time. */
export class Connections {
  constructor(private readonly models: Pick<ConnectionModels, 'connections'>) {}

  of(tenantId: string): TenantScope<ConnectionDoc> {
    return ofTenant(this.models.connections, tenantId);
  }

  list(tenantId: string): Promise<ConnectionDoc[]> {
    return this.of(tenantId).find({}, { sort: { name: 1 }, limit: MOST });
  }

  /** By id. @throws AppError not_found */
  async get(tenantId: string, id: string): Promise<ConnectionDoc> {
    const found = await this.of(tenantId).findOne({ _id: id });
    if (found === null) throw new AppError('not_found', `There is no connection ${id}`);
    return found;
  }

  /** By id or name. */
  find(tenantId: string, ref: string): Promise<ConnectionDoc | null> {
    return this.of(tenantId).findOne(isUuid(ref) ? { _id: ref } : { name: ref });
  }

  /**
   * Those that are for one of the connectors and count at `now` (epoch milliseconds); where none counts, those that have
   * ended. Never more than are looked at, which is enough to tell whether there is only one.
   */
  async fitting(tenantId: string, connectors: readonly string[], now: number): Promise<ConnectionDoc[]> {
    const found = await this.of(tenantId).find(
      { connector: { $in: [...connectors] }, status: 'active' },
      { limit: MOST_LOOKED_AT },
    );
    const counting = found.filter((connection) => !isExpired(connection, now));
    return counting.length > 0 ? counting : found;
  }

  /** The one that an account has been connected by before; null for an account that is not known. */
  async sameAccount(tenantId: string, provider: string, subject: string | null): Promise<ConnectionDoc | null> {
    if (subject === null) return null;
    return this.of(tenantId).findOne({ kind: 'oauth', connector: provider, subject });
  }

  /** @throws AppError conflict for a tenant that has as many as it may */
  async assertRoom(tenantId: string): Promise<void> {
    if ((await this.of(tenantId).count({})) < MOST) return;
    throw new AppError('conflict', `There are ${MOST} connections, which is the most; remove one first`);
  }

  /** Under that very name. @throws AppError conflict when it is taken */
  async insert(tenantId: string, name: string, fresh: Fresh): Promise<ConnectionDoc> {
    const made = await this.#tryInsert(tenantId, name, fresh);
    if (made === null) throw new AppError('conflict', `There is a connection named "${name}"; choose another name`);
    return made;
  }

  /** Under that name, or with a number behind it. */
  async insertNear(tenantId: string, name: string, fresh: Fresh): Promise<ConnectionDoc> {
    const base = name
      .replace(/[\p{Cc}\p{Cs}]/gu, ' ')
      .trim()
      .slice(0, LONGEST_NAME - 4)
      .trim();
    for (let number = 1; number <= MOST_NUMBERS; number += 1) {
      const made = await this.#tryInsert(tenantId, number === 1 ? base : `${base} ${number}`, fresh);
      if (made !== null) return made;
    }
    throw new AppError('conflict', `There are too many connections named "${base}"; choose another name`);
  }

  async #tryInsert(tenantId: string, name: string, fresh: Fresh): Promise<ConnectionDoc | null> {
    try {
      return await this.of(tenantId).insert({
        ...fresh,
        name,
        status: 'active',
        generation: 1,
        refreshing: null,
        retry_at: null,
        updated_at: fresh.created_at,
        last_used_at: null,
      });
    } catch (error) {
      if (isDuplicateKey(error)) return null;
      throw error;
    }
  }
}
