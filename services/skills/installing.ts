/** Takes skills of the registry into a tenant: a copy of one version, with where it came from. */
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

/** How often an installation starts over because another one came first. */
const MAX_TRIES = 16;

interface InstallingDeps {
  readonly store: SkillStore;
  readonly registry: Registry;
  readonly views: SkillViews;
  readonly audit: AuditLog;
  readonly clock: Clock;
}

type Asked = ActionContext<'skills.install'>;

export class Installing {
  constructor(private readonly deps: InstallingDeps) {}

  /** A new copy, or another version in the place of the one that there is. @throws AppError not_found, conflict */
  async install(ctx: Asked): Promise<SkillView & { created: boolean }> {
    const { registry, store, views } = this.deps;
    const { id, version } = ctx.params;
    if (ctx.params.name !== undefined) assertName(ctx.params.name);
    const published = await registry.get(id);
    const wanted = versionIn(published, version);
    const content = await registry.content(published, wanted);
    const source = this.#sourceOf(published, wanted, content.head.name);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const there = await store.find(ctx.tenantId, { source_id: id });
      const name = ctx.params.name ?? there?.name ?? content.head.name;
      if (there !== null && isInstalled(there, wanted, name)) return { ...(await views.view(there)), created: false };
      const installed = await nullOnConflict(this.#put(ctx, there, { name, version: wanted.version, content, source }));
      if (installed !== null) return { ...(await views.view(installed)), created: there === null };
    }
    throw new AppError('conflict', 'Too many installations of this skill at the same time; try again');
  }

  /** @throws WriteConflict, AppError conflict */
  async #put(ctx: Asked, there: SkillRecord | null, state: SkillState): Promise<SkillRecord> {
    const { store, audit } = this.deps;
    const recorded = recordedBy(audit, auditedBy(ctx));
    const by = ctx.principal?.user_id ?? 'service';
    if (there === null) return store.create(ctx.tenantId, state, by, recorded, 'skill.install');
    if (isModified(there) && ctx.params.overwrite !== true) throw modified(there);
    return store.change(there, state, recorded, 'skill.install');
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

/** A version that can be installed; the newest where none is named. @throws AppError not_found */
export function versionIn(record: PublishedRecord, version = record.version): PublishedVersion {
  const found = versionsOf(record).find((each) => each.version === version && each.withdrawn_at === null);
  if (found !== undefined) return found;
  throw new AppError(
    'not_found',
    `The registry has no version ${version} of this skill; the newest is ${record.version}`,
  );
}

const isModified = (record: SkillRecord): boolean => sourceOf(record)?.hash !== record.hash;

const isInstalled = (there: SkillRecord, { version, hash }: PublishedVersion, name: string): boolean =>
  there.hash === hash && there.name === name && sourceOf(there)?.version === version;

const modified = ({ name }: SkillRecord): AppError =>
  new AppError(
    'conflict',
    `${name} was changed here since it was installed; send "overwrite": true to give the changes up`,
    {
      details: [{ path: 'overwrite', message: 'must be true, since the copy was changed' }],
    },
  );
