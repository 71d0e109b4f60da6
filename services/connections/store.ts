import { nullOnDuplicate } from '../../lib/duplicate-key';
import { AppError } from '../../lib/errors';
import { isUuid } from '../../lib/ids';
import { unresolvedRefs } from '../../lib/unresolved-refs';
import { ofTenant, type TenantScope } from '../../lib/tenant';
import type { ConnectionDoc, ConnectionModels } from './models';
import { isExpired } from './token-refresh/rules';
import { type Page } from '../../lib/page';

/** Limit of connections per tenant. */
const MAX_CONNECTIONS = 1_000;
/** Attempts to find a free name by appending a number. */
const MAX_NAME_SUFFIX = 200;
const MAX_NAME_CHARS = 100;
/** Candidates that are read for a step without a connection. */
const MAX_CANDIDATES = 50;

/** The fields of a new connection without the derived ones. */
export type NewConnection = Omit<
  ConnectionDoc,
  'tenant_id' | 'name' | 'status' | 'generation' | 'refreshing' | 'retry_at' | 'updated_at' | 'last_used_at'
>;

/** The problem of a name; null when it is valid. Steps accept a name or an id, so a name must not look like an id. */
export function nameProblem(name: string): string | null {
  if (name.trim() === '' || name.length > MAX_NAME_CHARS) return `must have 1 to ${MAX_NAME_CHARS} characters`;
  if (/[\p{Cc}\p{Cs}]/u.test(name) || name !== name.trim())
    return 'must not have control characters, or spaces at its start or end';
  return isUuid(name) ? 'must not look like an id' : null;
}

/** @throws AppError invalid_request */
export function assertName(name: string): void {
  const fault = nameProblem(name);
  if (fault === null) return;
  throw new AppError('invalid_request', `The 'name' ${fault}`, { details: [{ path: 'name', message: fault }] });
}

/** Stored connections. Every query is limited to one tenant. */
export class Connections {
  constructor(private readonly models: Pick<ConnectionModels, 'connections'>) {}

  scope(tenantId: string): TenantScope<ConnectionDoc> {
    return ofTenant(this.models.connections, tenantId);
  }

  /** A page of the connections, sorted by name. */
  list(tenantId: string, page: Page): Promise<ConnectionDoc[]> {
    return this.scope(tenantId).find({}, { sort: { name: 1 }, ...page });
  }

  /** Returns the ids and names that match no connection. */
  missing(tenantId: string, refs: readonly string[]): Promise<string[]> {
    return unresolvedRefs(refs, (condition) => this.scope(tenantId).find(condition, { fields: ['name'] }));
  }

  /** Finds a connection by id. @throws AppError not_found */
  async get(tenantId: string, id: string): Promise<ConnectionDoc> {
    const found = await this.scope(tenantId).findOne({ _id: id });
    if (found === null) throw new AppError('not_found', `Connection ${id} not found`);
    return found;
  }

  /** Finds a connection by id or name. */
  find(tenantId: string, ref: string): Promise<ConnectionDoc | null> {
    return this.scope(tenantId).findOne(isUuid(ref) ? { _id: ref } : { name: ref });
  }

  /**
   * Connections of the given connectors that are valid at `now` (epoch milliseconds), or the expired ones if none is valid.
   * The number is limited, which suffices to detect whether there is exactly one.
   */
  async candidates(tenantId: string, connectors: readonly string[], now: number): Promise<ConnectionDoc[]> {
    const found = await this.scope(tenantId).find(
      { connector: { $in: [...connectors] }, status: 'active' },
      { limit: MAX_CANDIDATES },
    );
    const valid = found.filter((connection) => !isExpired(connection, now));
    return valid.length > 0 ? valid : found;
  }

  /** The connection of an account; null for an unknown account. */
  async findByAccount(
    tenantId: string,
    { connector, appId, subject }: { connector: string; appId: string | null; subject: string | null },
  ): Promise<ConnectionDoc | null> {
    if (subject === null) return null;
    return this.scope(tenantId).findOne({ kind: 'oauth', connector, app_id: appId, subject });
  }

  /** How many connections were made with an OAuth app. */
  countOfApp(tenantId: string, appId: string): Promise<number> {
    return this.scope(tenantId).count({ app_id: appId });
  }

  /** @throws AppError conflict when the tenant is at its limit */
  async assertBelowLimit(tenantId: string): Promise<void> {
    if ((await this.scope(tenantId).count({})) < MAX_CONNECTIONS) return;
    throw new AppError('conflict', `The limit of ${MAX_CONNECTIONS} connections is reached; remove one first`);
  }

  /** Inserts a connection with exactly this name. @throws AppError conflict when the name is in use */
  async insert(tenantId: string, name: string, fresh: NewConnection): Promise<ConnectionDoc> {
    const inserted = await this.#tryInsert(tenantId, name, fresh);
    if (inserted === null) throw new AppError('conflict', `A connection named "${name}" exists; choose another name`);
    return inserted;
  }

  /** Inserts a connection with this name, or with a number appended. */
  async insertWithSuffix(tenantId: string, name: string, fresh: NewConnection): Promise<ConnectionDoc> {
    const base = name
      .replace(/[\p{Cc}\p{Cs}]/gu, ' ')
      .trim()
      .slice(0, MAX_NAME_CHARS - 4)
      .trim();
    for (let number = 1; number <= MAX_NAME_SUFFIX; number += 1) {
      const inserted = await this.#tryInsert(tenantId, number === 1 ? base : `${base} ${number}`, fresh);
      if (inserted !== null) return inserted;
    }
    throw new AppError('conflict', `There are too many connections named "${base}"; choose another name`);
  }

  async #tryInsert(tenantId: string, name: string, fresh: NewConnection): Promise<ConnectionDoc | null> {
    const derived = { status: 'active', generation: 1, refreshing: null, retry_at: null, last_used_at: null } as const;
    return nullOnDuplicate(this.scope(tenantId).insert({ ...fresh, ...derived, name, updated_at: fresh.created_at }));
  }
}
