import type { Collection, Document } from 'mongodb';
import { ReadThrough } from '../../lib/read-through';
import {
  type FolderGrant,
  type FolderPerson,
  type FolderRight,
  type FolderRules,
  includesRight,
  isRestricted,
  rightOn,
} from '../../lib/folder-rights';
import type { Principal } from '../../lib/principal';
import { TimeSlice } from '../../lib/time-slices';
import type { App } from '../../services/app';
import { CACHE_MAX_AGE_MS } from '../invalidation';

/** What the keys of this cache begin with, in `cache.stale`; then the tenant. */
export const STALE_FOLDERS = 'folders:';

const MAX_TENANTS = 5_000;
/** Workflows that are read at once. */
const PLACES_AT_ONCE = 1_000;
/** Rules of a tenant. */
export const MAX_FOLDER_RULES = 500;

/** A rule as stored. Only the workflows service writes it. */
export interface StoredFolderRule extends Document {
  _id: string;
  tenant_id: string;
  folder: string;
  access: 'open' | 'restricted';
  grants: FolderGrant[];
  /** Rises with each change. */
  revision: number;
  updated_at: Date;
  updated_by: string | null;
}

interface WorkflowPlace extends Document {
  _id: string;
  tenant_id: string;
  folder?: string;
}

interface Group extends Document {
  _id: string;
  tenant_id: string;
  members: string[];
}

export const folderRulesIn = ({ db }: Pick<App, 'db'>): Collection<StoredFolderRule> =>
  db.collection('folder_rules') as unknown as Collection<StoredFolderRule>;

const NO_GROUPS: ReadonlySet<string> = new Set();

/** The rules of a tenant at one time, and what follows from them. */
export class TenantFolders {
  readonly #groups = new Map<string, Promise<ReadonlySet<string>>>();
  #places: Promise<ReadonlyMap<string, string>> | undefined;
  readonly #withheld = new Map<string, Promise<ReadonlySet<string>>>();

  constructor(
    private readonly app: Pick<App, 'db'>,
    private readonly tenantId: string,
    readonly rules: FolderRules,
  ) {}

  /** True for a person whose right may differ from what the role gives. */
  concerns({ role, user_role: userRole }: Principal): boolean {
    const own = userRole ?? role;
    return this.rules.size > 0 && own !== 'service' && own !== 'admin' && own !== 'owner';
  }

  /** The right of a caller on a folder; null for none. */
  async rightOf(principal: Principal, folder: string): Promise<FolderRight | null> {
    return rightOn(folder, this.rules, await this.#person(principal));
  }

  /** The folder of a workflow, if it has rules; otherwise the empty name. */
  async folderOf(workflowId: string): Promise<string> {
    return (await this.#placesOfWorkflows()).get(workflowId) ?? '';
  }

  /** Ids of the workflows on which the caller does not have the right. */
  withheld(principal: Principal, right: FolderRight): Promise<ReadonlySet<string>> {
    const { role, user_role: own = role, scope = '', user_id: userId } = principal;
    const key = `${right} ${own} ${scope} ${userId ?? ''}`;
    const known = this.#withheld.get(key);
    if (known !== undefined) return known;
    const found = this.#findWithheld(principal, right);
    this.#withheld.set(key, found);
    return found;
  }

  async #findWithheld(principal: Principal, right: FolderRight): Promise<ReadonlySet<string>> {
    const [person, places] = await Promise.all([this.#person(principal), this.#placesOfWorkflows()]);
    const ofFolders = new Map<string, boolean>();
    const found = new Set<string>();
    for (const [id, folder] of places) {
      const lacks = ofFolders.get(folder) ?? !includesRight(rightOn(folder, this.rules, person), right);
      ofFolders.set(folder, lacks);
      if (lacks) found.add(id);
    }
    return found;
  }

  async #person({ user_id: userId, role, user_role: own, scope }: Principal): Promise<FolderPerson> {
    // A service has no rights of a person; those who ask for one are people and keys.
    const ofUser = own ?? (role === 'service' ? 'viewer' : role);
    return { userId, role: ofUser, scope, groups: await this.#groupsOf(userId) };
  }

  #groupsOf(userId: string | null): Promise<ReadonlySet<string>> {
    const named = [...this.rules.values()].flatMap(({ grants }) =>
      grants.flatMap(({ kind, id }) => (kind === 'group' ? [id] : [])),
    );
    if (userId === null || named.length === 0) return Promise.resolve(NO_GROUPS);
    const known = this.#groups.get(userId);
    if (known !== undefined) return known;
    const groups = this.app.db.collection('scim_groups') as unknown as Collection<Group>;
    const found = groups
      .find({ tenant_id: this.tenantId, members: userId }, { projection: { _id: 1 } })
      .toArray()
      .then((all) => new Set(all.map(({ _id }) => _id)));
    this.#groups.set(userId, found);
    return found;
  }

  /** The folders of workflows in restricted folders, also of those that are being removed. */
  #placesOfWorkflows(): Promise<ReadonlyMap<string, string>> {
    this.#places ??= this.#readPlaces();
    return this.#places;
  }

  async #readPlaces(): Promise<ReadonlyMap<string, string>> {
    const restricted = [...this.rules].flatMap(([folder, { access }]) => (access === 'restricted' ? [folder] : []));
    if (restricted.length === 0) return new Map();
    const workflows = this.app.db.collection('workflows') as unknown as Collection<WorkflowPlace>;
    const found = workflows.find({ tenant_id: this.tenantId, folder: { $gt: '' } }, { projection: { folder: 1 } });
    const places = new Map<string, string>();
    const slice = new TimeSlice(this.tenantId);
    for await (const { _id, folder = '' } of found.batchSize(PLACES_AT_ONCE)) {
      if (slice.due) await slice.pause();
      if (isRestricted(folder, this.rules)) places.set(_id, folder);
    }
    return places;
  }
}

/** The rules of tenants, in the memory of a process. */
export class FolderCache {
  readonly #tenants: ReadThrough<TenantFolders>;

  constructor(private readonly app: Pick<App, 'db' | 'clock'>) {
    this.#tenants = new ReadThrough<TenantFolders>({
      max: MAX_TENANTS,
      ttlMs: CACHE_MAX_AGE_MS,
      now: () => app.clock.now(),
    });
  }

  of(tenantId: string): Promise<TenantFolders> {
    return this.#tenants.get(tenantId, async () => {
      const found = await folderRulesIn(this.app).find({ tenant_id: tenantId }).limit(MAX_FOLDER_RULES).toArray();
      const rules = new Map(found.map(({ folder, access, grants }) => [folder, { access, grants }] as const));
      return new TenantFolders(this.app, tenantId, rules);
    });
  }

  forget(tenantId: string): void {
    this.#tenants.delete(tenantId);
  }
}

const caches = new WeakMap<object, FolderCache>();

/** The cache of the process that the app is of. */
export function folderCacheOf(app: Pick<App, 'db' | 'clock'>): FolderCache {
  const known = caches.get(app);
  if (known !== undefined) return known;
  const cache = new FolderCache(app);
  caches.set(app, cache);
  return cache;
}
