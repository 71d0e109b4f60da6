import { AppError } from '../../lib/errors';
import { type FolderRight, includesRight } from '../../lib/folder-rights';
import type { Principal } from '../../lib/principal';
import type { FolderCache, TenantFolders } from './tenant-folders';

const NOTHING: readonly string[] = [];

/** The rights on folders of the caller of an action. Services have all of them. */
export class CallerFolders {
  constructor(
    private readonly cache: FolderCache,
    private readonly principal: Principal | null,
  ) {}

  /** Ids of the workflows on which the caller does not have the right; none in a workspace without restricted folders. */
  async withheld(right: FolderRight = 'view'): Promise<readonly string[]> {
    const known = await this.#known();
    if (known === null) return NOTHING;
    const found = await known.folders.withheld(known.principal, right);
    return found.size === 0 ? NOTHING : [...found];
  }

  /** A clause that leaves out what belongs to workflows the caller may not see; `field` has their ids. Combine it by `$and`. */
  async visible(field: string, right: FolderRight = 'view'): Promise<Record<string, { $nin: string[] }>> {
    const ids = await this.withheld(right);
    return ids.length === 0 ? {} : { [field]: { $nin: [...ids] } };
  }

  /** Those of the rows whose workflow the caller may see. */
  async only<T>(rows: readonly T[], workflowOf: (row: T) => string | null | undefined): Promise<T[]> {
    const hidden = new Set(await this.withheld());
    return hidden.size === 0 ? [...rows] : rows.filter((row) => !hidden.has(workflowOf(row) ?? ''));
  }

  /** False where no right of the caller can differ from what its role gives. */
  async areLimited(): Promise<boolean> {
    return (await this.#known()) !== null;
  }

  /**
   * Admits the caller to a workflow. `missing` makes the error for one who may not even view it: that of an unknown id.
   * @throws AppError forbidden for one who may view it
   */
  async assertWorkflow(workflowId: string, right: FolderRight, missing: () => AppError): Promise<void> {
    const known = await this.#known();
    if (known === null) return;
    const withheld = await known.folders.withheld(known.principal, right);
    if (!withheld.has(workflowId)) return;
    const folder = await known.folders.folderOf(workflowId);
    const own = await known.folders.rightOf(known.principal, folder);
    throw own === null ? missing() : lacksRight(folder, own, right);
  }

  /** The right of the caller on a folder; null for none. */
  async rightOn(folder: string, tenantFolders?: TenantFolders): Promise<FolderRight | null> {
    const { principal } = this;
    if (principal === null || principal.role === 'service') return 'manage';
    return (tenantFolders ?? (await this.cache.of(principal.tenant_id))).rightOf(principal, folder);
  }

  /** @throws AppError forbidden for a folder on which the caller does not have the right */
  async assertFolder(folder: string, right: FolderRight): Promise<void> {
    const known = await this.#known();
    if (known === null) return;
    const own = await known.folders.rightOf(known.principal, folder);
    if (!includesRight(own, right)) throw lacksRight(folder, own, right);
  }

  /** The rules of the caller's tenant; null where they do not concern it. */
  async #known(): Promise<{ principal: Principal; folders: TenantFolders } | null> {
    const { principal } = this;
    if (principal === null || principal.role === 'service' || principal.tenant_id === '') return null;
    if (principal.role === 'admin' || principal.role === 'owner') return null;
    const folders = await this.cache.of(principal.tenant_id);
    return folders.concerns(principal) ? { principal, folders } : null;
  }
}

const lacksRight = (folder: string, own: FolderRight | null, needed: FolderRight): AppError =>
  new AppError(
    'forbidden',
    `This requires the right ${needed} on the folder "${folder}"; yours is ${own ?? 'none'}: ask someone who manages the folder`,
  );
