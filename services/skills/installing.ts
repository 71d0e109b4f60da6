/** Installs skills of the registry: a copy of one version with its source. */
import type { Clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { auditedBy, type AuditLog, recordedBy } from '../../mixins/audit';
import { nullOnConflict } from '../../lib/write-conflict';
import type { ActionContext } from '../../mixins/service';
import type { SkillView } from '../../contracts/skills/views';
import type { PublishedRecord, SkillRecord } from './models';
import { type Registry, rowOf, versionsOf } from './registry';
import type { PublishedVersion } from './rules/publication';
import { assertName } from './rules/head';
import { type SkillState, type SkillStore, sourceOf, type StoredSource } from './store';
import type { SkillViews } from './views';

/** Attempts after write conflicts. */
const MAX_ATTEMPTS = 16;

interface InstallingDeps {
  readonly store: SkillStore;
  readonly registry: Registry;
  readonly views: SkillViews;
  readonly audit: AuditLog;
  readonly clock: Clock;
}

type InstallContext = ActionContext<'skills.install'>;

export class Installing {
  constructor(private readonly deps: InstallingDeps) {}

  /** Installs a copy, or replaces the installed version. @throws AppError not_found, conflict */
  async install(ctx: InstallContext): Promise<SkillView & { created: boolean }> {
    const { registry, store, views } = this.deps;
    const { id, version } = ctx.params;
    if (ctx.params.name !== undefined) assertName(ctx.params.name);
    const published = await registry.get(id);
    const requested = versionIn(published, version);
    const content = await registry.content(published, requested);
    const source = this.#sourceOf(published, requested, content.head.name);
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const existing = await store.find(ctx.tenantId, { source_id: id });
      const name = ctx.params.name ?? existing?.name ?? content.head.name;
      if (existing !== null && isInstalled(existing, requested, name))
        return { ...(await views.view(existing)), created: false };
      const installed = await nullOnConflict(
        this.#writeCopy(ctx, existing, { name, version: requested.version, content, source }),
      );
      if (installed !== null) return { ...(await views.view(installed)), created: existing === null };
    }
    throw new AppError('conflict', 'Too many concurrent installations of this skill; try again');
  }

  /** @throws WriteConflict, AppError conflict */
  async #writeCopy(ctx: InstallContext, existing: SkillRecord | null, state: SkillState): Promise<SkillRecord> {
    const { store, audit } = this.deps;
    const recorded = recordedBy(audit, auditedBy(ctx));
    const by = ctx.principal?.user_id ?? 'service';
    if (existing === null) return store.create(ctx.tenantId, state, by, recorded, 'skill.install');
    if (isModified(existing) && ctx.params.overwrite !== true) throw modifiedConflict(existing);
    return store.update(existing, state, recorded, 'skill.install');
  }

  #sourceOf(published: PublishedRecord, { version, hash, published_at }: PublishedVersion, name: string): StoredSource {
    const installed_at = new Date(this.deps.clock.now()).toISOString();
    return {
      id: published._id,
      name,
      version,
      hash,
      publisher: rowOf(published).publisher,
      published_at,
      installed_at,
    };
  }
}

/** Returns an installable version, by default the current one. @throws AppError not_found */
export function versionIn(record: PublishedRecord, version = record.version): PublishedVersion {
  const found = versionsOf(record).find((each) => each.version === version && each.withdrawn_at === null);
  if (found !== undefined) return found;
  throw new AppError(
    'not_found',
    `The registry has no version ${version} of this skill; the newest is ${record.version}`,
  );
}

const isModified = (record: SkillRecord): boolean => sourceOf(record)?.hash !== record.hash;

const isInstalled = (existing: SkillRecord, { version, hash }: PublishedVersion, name: string): boolean =>
  existing.hash === hash && existing.name === name && sourceOf(existing)?.version === version;

const modifiedConflict = ({ name }: SkillRecord): AppError =>
  new AppError(
    'conflict',
    `${name} was changed since its installation; send "overwrite": true to discard the changes`,
    {
      details: [{ path: 'overwrite', message: 'must be true, since the copy was changed' }],
    },
  );
