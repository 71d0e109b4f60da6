/**
 * Puts skills of a tenant before everybody, and takes them back. Each is one write of the registry, which names the state
 * that it was decided on; the content is there before it, and stays while any version names it.
 */
import type { Clock } from '../../lib/clock';
import { AppError } from '../../lib/errors';
import { type Acting, auditedBy, type AuditLog } from '../../mixins/audit';
import { nullOnConflict } from '../../lib/write-conflict';
import type { ActionContext } from '../../mixins/service';
import type { SkillPublisher, SkillView } from '../../contracts/skills/views';
import type { Contents } from './contents';
import type { PublishedRecord, SkillRecord } from './models';
import { type Publication, type Registry, rowOf, versionsOf } from './registry';
import { currentOf, decidePublication, type PublishedVersion, withdrawn, withVersion } from './rules/publication';
import { wordsOf } from './rules/words';
import { headOf, type SkillStore, targetOf } from './store';
import { type SkillViews, storedRow } from './views';

/** How often a change starts over because another one came first. */
const MAX_TRIES = 16;

interface PublishingDeps {
  readonly store: SkillStore;
  readonly contents: Contents;
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
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const record = await store.get(tenantId, params.id);
      assertOwn(record);
      const { hash, bytes } = record;
      const seen = await registry.own(tenantId, record._id);
      const versions = seen === null ? [] : versionsOf(seen);
      const decision = decidePublication(versions, { hash, own: headOf(record).version }, params);
      if (decision.kind === 'refused') throw new AppError(decision.code, decision.message);
      const { version } = decision;
      const there = versions.find((each) => each.version === version);
      if (there?.withdrawn_at === null) return views.view(await this.#named(record, version));
      const published_at = new Date(clock.now()).toISOString();
      const made = { version, hash, bytes, notes: params.notes ?? null, published_at, withdrawn_at: null };
      const publication = await this.#publication(tenantId, seen, withVersion(versions, made), { slug, name });
      const change = { action: 'skill.publish', target: targetOf(record), after: { version, hash } };
      const put = audit.audited(auditedBy(ctx), change, () => registry.put(tenantId, record._id, seen, publication));
      if ((await nullOnConflict(put)) === null) continue;
      return views.view(await this.#stillThere(await this.#named(record, version)));
    }
    throw tooMany();
  }

  /** What is not in the registry is left as it is. @throws AppError not_found */
  async unpublish(ctx: ActionContext<'skills.unpublish'>): Promise<SkillView> {
    const record = await this.deps.store.get(ctx.tenantId, ctx.params.id);
    await this.withdraw(auditedBy(ctx), record, ctx.params.version ?? null);
    return this.deps.views.view(record);
  }

  /** Takes a version out of the registry, or all of them (null). @throws AppError not_found for one that never was there */
  async withdraw(acting: Acting, record: SkillRecord, version: string | null): Promise<void> {
    const { registry, audit, clock } = this.deps;
    const { tenant_id: tenantId, _id: id } = record;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const seen = await registry.own(tenantId, id);
      const versions = seen === null ? [] : versionsOf(seen);
      const meant = versions.filter((each) => version === null || each.version === version);
      if (version !== null && meant.length === 0)
        throw new AppError('not_found', `Version ${version} of ${record.name} was never published`);
      if (seen === null || meant.every(({ withdrawn_at }) => withdrawn_at !== null)) return;
      const left = withdrawn(versions, version, new Date(clock.now()).toISOString());
      const publication = await this.#publication(tenantId, seen, left, rowOf(seen).publisher);
      const change = { action: 'skill.unpublish', target: targetOf(record), after: { version } };
      const put = audit.audited(acting, change, () => registry.put(tenantId, id, seen, publication));
      if ((await nullOnConflict(put)) !== null) return;
    }
    throw tooMany();
  }

  /** What the registry is to say of these versions. @throws AppError internal where a content is missing */
  async #publication(
    tenantId: string,
    seen: PublishedRecord | null,
    versions: readonly PublishedVersion[],
    publisher: SkillPublisher,
  ): Promise<Publication> {
    const current = currentOf(versions);
    if (current === null && seen !== null) return { row: rowOf(seen), versions, words: { words: [], weights: [] } };
    const shown = current ?? (versions[0] as PublishedVersion);
    const content = await this.deps.contents.get(tenantId, shown.hash);
    return { row: storedRow(content, shown, publisher), versions, words: wordsOf(content) };
  }

  /** The skill says which version it is, unless it has changed meanwhile; also where an earlier try has ended before this. */
  async #named(record: SkillRecord, version: string): Promise<SkillRecord> {
    if (headOf(record).version !== version) await this.deps.store.name(record, version);
    return (await this.deps.store.find(record.tenant_id, { _id: record._id })) ?? record;
  }

  /** Who deletes a skill while it is being published must not leave it in the registry. @throws AppError not_found */
  async #stillThere({ tenant_id: tenantId, _id }: SkillRecord): Promise<SkillRecord> {
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
    `${name} was installed from the registry, where it is already; publish skills of your own`,
  );
}

const tooMany = (): AppError => new AppError('conflict', 'Too many changes of this skill at the same time; try again');
