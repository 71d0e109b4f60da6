import { isDuplicateKey } from '../../lib/duplicate-key';
import { AppError } from '../../lib/errors';
import { type FolderGrant, folderChain, includesRight, isRestricted } from '../../lib/folder-rights';
import { randomId } from '../../lib/ids';
import { pageOf, sliceOf } from '../../lib/page';
import { TimeSlice } from '../../lib/time-slices';
import { auditedBy } from '../../mixins/audit';
import {
  folderCacheOf,
  folderRulesIn,
  MAX_FOLDER_RULES,
  STALE_FOLDERS,
  type StoredFolderRule,
} from '../../mixins/folders/tenant-folders';
import type { ActionContext, Handlers } from '../../mixins/service';
import type { ResultOf } from '../../contracts/catalogue';
import type { App } from '../app';
import { foldersOf, sortedNames } from './folders';
import type { WorkflowStore } from './store';

type Names = 'folder_list' | 'folder_access' | 'set_folder_access' | 'remove_folder_access';
type View = ResultOf<'workflows.folder_access'>;
type Context = ActionContext<
  'workflows.folder_access' | 'workflows.set_folder_access' | 'workflows.remove_folder_access'
>;

/** Rights on folders: who has them, and changes of them. */
export function folderActions(
  app: App,
  store: WorkflowStore,
  stale: (key: string) => Promise<void>,
): Pick<Handlers<'workflows'>, Names> {
  const rules = folderRulesIn(app);

  /** The rules of a folder and of those that contain it, from the outermost one. */
  const chainOf = async (tenantId: string, folder: string): Promise<StoredFolderRule[]> => {
    const found = await rules.find({ tenant_id: tenantId, folder: { $in: folderChain(folder) } }).toArray();
    return found.sort((a, b) => a.folder.length - b.folder.length);
  };

  async function viewOf({ tenantId, call, folders }: Context, folder: string): Promise<View> {
    const own = await folders.rightOn(folder);
    if (own === null) throw noFolder(folder);
    const chain = await chainOf(tenantId, folder);
    const refs = [...new Set(chain.flatMap(({ grants }) => grants.map(({ id }) => id)))];
    const { members, groups } =
      refs.length === 0
        ? { members: [], groups: [] }
        : await call('auth.subjects', { refs: refs.slice(0, 1_000) }, { asServiceOf: tenantId });
    const names = new Map([
      ...members.map(({ id, email }) => [`member ${id}`, email] as const),
      ...groups.map(({ id, name }) => [`group ${id}`, name] as const),
    ]);
    const shown = (grants: readonly FolderGrant[]): View['grants'] =>
      grants.map(({ kind, id, right }) => ({ kind, id, name: names.get(`${kind} ${id}`) ?? null, right }));
    const rule = chain.find((each) => each.folder === folder);
    return {
      folder,
      access: rule?.access ?? 'open',
      grants: shown(rule?.grants ?? []),
      inherited: chain
        .filter((each) => each.folder !== folder)
        .map((each) => ({ folder: each.folder, access: each.access, grants: shown(each.grants) })),
      right: own,
      revision: rule?.revision ?? 0,
      updated_at: rule?.updated_at.toISOString() ?? null,
      updated_by: rule?.updated_by ?? null,
    };
  }

  /** @throws AppError not_found, forbidden */
  async function assertManages({ folders, principal }: Context, folder: string): Promise<void> {
    const own = await folders.rightOn(folder);
    if (own === null) throw noFolder(folder);
    if (includesRight(own, 'manage')) return;
    throw new AppError(
      'forbidden',
      `This requires the right manage on the folder "${folder}"; yours is ${own}` +
        (principal?.scope === undefined ? '' : ' with this API key'),
    );
  }

  /** @throws AppError invalid_request for a member or a group that the workspace does not have */
  async function resolved({ call, tenantId }: Context, given: readonly FolderGrant[]): Promise<FolderGrant[]> {
    if (given.length === 0) return [];
    const refs = [...new Set(given.map(({ id }) => id))];
    const { members, groups } = await call('auth.subjects', { refs }, { asServiceOf: tenantId });
    const grants = given.map(({ kind, id, right }, index) => {
      const found =
        kind === 'group'
          ? groups.find((group) => group.id === id)
          : members.find((member) => member.id === id || member.email.toLowerCase() === id.toLowerCase());
      if (found === undefined)
        throw new AppError('invalid_request', `The workspace has no ${kind} ${id}`, {
          details: [{ path: `grants[${index}].id`, message: `there is no such ${kind}` }],
        });
      return { kind, id: found.id, right };
    });
    const keys = grants.map(({ kind, id }) => `${kind} ${id}`);
    if (new Set(keys).size < keys.length)
      throw new AppError('invalid_request', "Each member and each group may be in 'grants' once");
    return grants;
  }

  const shownIn = (rule: Pick<StoredFolderRule, 'access' | 'grants'> | null) =>
    rule === null ? null : { access: rule.access, grants: rule.grants.map((grant) => ({ ...grant })) };

  const targetOf = (folder: string) => ({ type: 'folder', id: folder, name: folder });

  return {
    async folder_list({ params, tenantId, folders }) {
      const known = await folderCacheOf(app).of(tenantId);
      const records = store.each(tenantId, ['folder'], await folders.visible('_id'));
      const found = await foldersOf(records, tenantId);
      const counts = new Map(found.folders.map(({ folder, workflows }) => [folder, workflows]));
      const names = await sortedNames(new Set([...counts.keys(), ...known.rules.keys()]), tenantId);
      const rows: ResultOf<'workflows.folder_list'>['data'] = [];
      const slice = new TimeSlice(tenantId);
      for (const folder of names) {
        if (slice.due) await slice.pause();
        const right = await folders.rightOn(folder, known);
        const restricted = isRestricted(folder, known.rules);
        const row = { folder, workflows: counts.get(folder) ?? 0, restricted, has_rules: known.rules.has(folder) };
        if (right !== null) rows.push({ ...row, right });
      }
      return sliceOf(rows, pageOf(params));
    },
    async folder_access(ctx) {
      const view = await viewOf(ctx, ctx.params.folder);
      if (view.revision === 0 && !(await store.hasFolder(ctx.tenantId, view.folder))) throw noFolder(view.folder);
      return view;
    },
    async set_folder_access(ctx) {
      const { tenantId, principal, params } = ctx;
      const { folder, access, revision } = params;
      await assertManages(ctx, folder);
      const grants = await resolved(ctx, params.grants);
      const before = await rules.findOne({ tenant_id: tenantId, folder });
      if (revision !== undefined && revision !== (before?.revision ?? 0)) throw changed(folder);
      if (before === null && (await rules.countDocuments({ tenant_id: tenantId })) >= MAX_FOLDER_RULES)
        throw new AppError('quota_exceeded', `At most ${MAX_FOLDER_RULES} folders can have rules; remove some`);
      const fields = { access, grants, updated_at: new Date(app.clock.now()), updated_by: principal?.email ?? null };
      const change = {
        action: 'folder.access_set',
        target: targetOf(folder),
        before: shownIn(before),
        after: shownIn(fields),
      };
      await app.audit.audited(auditedBy(ctx), change, async () => {
        if (before === null) {
          const rule = { _id: randomId(), tenant_id: tenantId, folder, ...fields, revision: 1 };
          await rules.insertOne(rule).catch((fault: unknown) => {
            throw isDuplicateKey(fault) ? changed(folder) : fault;
          });
          return;
        }
        const seen = { _id: before._id, revision: before.revision };
        const { matchedCount } = await rules.updateOne(seen, { $set: { ...fields, revision: before.revision + 1 } });
        if (matchedCount === 0) throw changed(folder);
      });
      await stale(`${STALE_FOLDERS}${tenantId}`);
      return viewOf(ctx, folder);
    },
    async remove_folder_access(ctx) {
      const { tenantId, params } = ctx;
      const { folder } = params;
      await assertManages(ctx, folder);
      const before = await rules.findOne({ tenant_id: tenantId, folder });
      if (before === null) throw new AppError('not_found', `The folder "${folder}" has no rules`);
      const change = { action: 'folder.access_remove', target: targetOf(folder), before: shownIn(before) };
      await app.audit.audited(auditedBy(ctx), change, async () => {
        const { deletedCount } = await rules.deleteOne({ _id: before._id, revision: before.revision });
        if (deletedCount === 0) throw changed(folder);
      });
      await stale(`${STALE_FOLDERS}${tenantId}`);
    },
  };
}

const noFolder = (folder: string): AppError => new AppError('not_found', `There is no folder "${folder}"`);

const changed = (folder: string): AppError =>
  new AppError('conflict', `The rules of the folder "${folder}" have changed since; read them again`);
