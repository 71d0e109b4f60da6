/**
 * Publishes skills to the registry and withdraws them. Each is one conditional write of the registry entry. The content
 * is stored before it, and stays while a version references it.
 */
import type { Clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { type Acting, auditedBy, type AuditLog } from '../../mixins/audit';
import { nullOnConflict } from '../../lib/write-conflict';
import type { ActionContext } from '../../mixins/service';
import type { SkillPublisher, SkillView } from '../../contracts/skills/views';
import type { ContentStore } from './content-store';
import type { PublishedRecord, SkillRecord } from './models';
import { type Publication, type Registry, rowOf, versionsOf } from './registry';
import { currentOf, decidePublication, type PublishedVersion, withdraw, withVersion } from './rules/publication';
import { wordsOf } from './rules/words';
import { headOf, type SkillStore, targetOf } from './store';
import { type SkillViews, storedRow } from './views';

/** Attempts after write conflicts. */
const MAX_ATTEMPTS = 16;

interface PublishingDeps {
  readonly store: SkillStore;
  readonly contents: ContentStore;
  readonly registry: Registry;
  readonly views: SkillViews;
  readonly audit: AuditLog;
  readonly clock: Clock;
}

export class Publishing {
  constructor(private readonly deps: PublishingDeps) {}

  /** @throws AppError not_found, conflict, invalid_request */
  async publish(ctx: ActionContext<'skills.publish'>): Promise<SkillView> {
    const { store, registry, views, audit, clock } = this.deps;
    const { params, tenantId } = ctx;
    const { slug, name } = await ctx.call('auth.tenant', {});
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const record = await store.get(tenantId, params.id);
      assertOwn(record);
      const { hash, bytes } = record;
      const seen = await registry.findOwn(tenantId, record._id);
      const versions = seen === null ? [] : versionsOf(seen);
      const decision = decidePublication(versions, { hash, own: headOf(record).version }, params);
      if (decision.kind === 'refused') throw new AppError(decision.code, decision.message);
      const { version } = decision;
      const existing = versions.find((each) => each.version === version);
      if (existing?.withdrawn_at === null) return views.view(await this.#setVersion(record, version));
      const published_at = new Date(clock.now()).toISOString();
      const added = { version, hash, bytes, notes: params.notes ?? null, published_at, withdrawn_at: null };
      const publication = await this.#publication(tenantId, seen, withVersion(versions, added), { slug, name });
      const change = { action: 'skill.publish', target: targetOf(record), after: { version, hash } };
      const put = audit.audited(auditedBy(ctx), change, () => registry.put(tenantId, record._id, seen, publication));
      if ((await nullOnConflict(put)) === null) continue;
      return views.view(await this.#assertNotDeleted(await this.#setVersion(record, version)));
    }
    throw tooManyConflicts();
  }

  /** Withdraws a version, or all versions. No effect on an unpublished skill. @throws AppError not_found */
  async unpublish(ctx: ActionContext<'skills.unpublish'>): Promise<SkillView> {
    const record = await this.deps.store.get(ctx.tenantId, ctx.params.id);
    await this.withdraw(auditedBy(ctx), record, ctx.params.version ?? null);
    return this.deps.views.view(record);
  }

  /** Withdraws a version, or all of them (null). @throws AppError not_found if the version was never published */
  async withdraw(acting: Acting, record: SkillRecord, version: string | null): Promise<void> {
    const { registry, audit, clock } = this.deps;
    const { tenant_id: tenantId, _id: id } = record;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const seen = await registry.findOwn(tenantId, id);
      const versions = seen === null ? [] : versionsOf(seen);
      const targets = versions.filter((each) => version === null || each.version === version);
      if (version !== null && targets.length === 0)
        throw new AppError('not_found', `Version ${version} of ${record.name} was never published`);
      if (seen === null || targets.every(({ withdrawn_at }) => withdrawn_at !== null)) return;
      const left = withdraw(versions, version, new Date(clock.now()).toISOString());
      const publication = await this.#publication(tenantId, seen, left, rowOf(seen).publisher);
      const change = { action: 'skill.unpublish', target: targetOf(record), after: { version } };
      const put = audit.audited(acting, change, () => registry.put(tenantId, id, seen, publication));
      if ((await nullOnConflict(put)) !== null) return;
    }
    throw tooManyConflicts();
  }

  /** Builds the registry entry of these versions. @throws AppError internal if a content is missing */
  async #publication(
    tenantId: string,
    seen: PublishedRecord | null,
    versions: readonly PublishedVersion[],
    publisher: SkillPublisher,
  ): Promise<Publication> {
    const current = currentOf(versions);
    if (current === null && seen !== null) return { row: rowOf(seen), versions, words: { words: [], weights: [] } };
    const described = current ?? (versions[0] as PublishedVersion);
    const content = await this.deps.contents.get(tenantId, described.hash);
    return { row: storedRow(content, described, publisher), versions, words: wordsOf(content) };
  }

  /** Sets the published version on the skill, unless the skill has changed meanwhile. Idempotent. */
  async #setVersion(record: SkillRecord, version: string): Promise<SkillRecord> {
    if (headOf(record).version !== version) await this.deps.store.setVersion(record, version);
    return (await this.deps.store.find(record.tenant_id, { _id: record._id })) ?? record;
  }

  /** Removes the registry entry if the skill was deleted during publication. @throws AppError not_found */
  async #assertNotDeleted({ tenant_id: tenantId, _id }: SkillRecord): Promise<SkillRecord> {
    const found = await this.deps.store.find(tenantId, { _id });
    if (found !== null) return found;
    await this.deps.registry.remove(tenantId, _id);
    return this.deps.store.get(tenantId, _id);
  }
}

/** @throws AppError conflict */
function assertOwn({ source, name }: SkillRecord): void {
  if (source === null) return;
  throw new AppError(
    'conflict',
    `${name} was installed from the registry; only skills that you created can be published`,
  );
}

const tooManyConflicts = (): AppError =>
  new AppError('conflict', 'Too many concurrent changes of this skill; try again');
