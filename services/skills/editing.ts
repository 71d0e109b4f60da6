import { AppError } from '../../lib/errors';
import { auditedBy, type AuditLog, recordedBy } from '../../mixins/audit';
import { nullOnConflict } from '../../lib/write-conflict';
import { isAtLeast } from '../../lib/roles';
import type { ActionContext } from '../../mixins/service';
import type { SkillFields, SkillView } from '../../contracts/skills/views';
import type { ContentStore } from './content-store';
import type { SkillRecord } from './models';
import type { Publishing } from './publishing';
import { type Registry, versionsOf } from './registry';
import { applyFields } from './rules/content';
import { assertValid } from './rules/validation';
import { assertName } from './rules/head';
import { type SkillState, type SkillStore, sourceOf, targetOf } from './store';
import type { SkillViews } from './views';
import { assertUnused } from '../../mixins/in-use';

/** Attempts after write conflicts. */
const MAX_ATTEMPTS = 16;

interface EditingDeps {
  readonly store: SkillStore;
  readonly contents: ContentStore;
  readonly registry: Registry;
  readonly publishing: Publishing;
  readonly views: SkillViews;
  readonly audit: AuditLog;
}

/** Creates, changes and removes skills for users. */
export class Editing {
  constructor(private readonly deps: EditingDeps) {}

  /** @throws AppError invalid_request with every error, conflict */
  async create(ctx: ActionContext<'skills.create'>): Promise<SkillView> {
    const { store, views, audit } = this.deps;
    const { version, content } = assertValid(applyFields(ctx.params), 'The skill');
    const state = { name: content.head.name, version, content, source: null };
    const by = ctx.principal?.user_id ?? 'service';
    return views.view(await store.create(ctx.tenantId, state, by, recordedBy(audit, auditedBy(ctx))));
  }

  /** Changes the given fields. @throws AppError not_found, invalid_request with every error, conflict */
  async update(ctx: ActionContext<'skills.update'>): Promise<SkillView> {
    const { store, views, audit } = this.deps;
    const { id, ...given } = ctx.params;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      const seen = await store.get(ctx.tenantId, id);
      const state = await this.#nextState(seen, given);
      const changed = await nullOnConflict(store.update(seen, state, recordedBy(audit, auditedBy(ctx))));
      if (changed !== null) return views.view(changed);
    }
    throw new AppError('conflict', 'Too many concurrent changes of this skill; try again');
  }

  /** Withdraws a published skill from the registry, then deletes it. @throws AppError not_found, forbidden */
  async remove(ctx: ActionContext<'skills.remove'>): Promise<void> {
    const { store, contents, registry, publishing, audit } = this.deps;
    const { tenantId } = ctx;
    const record = await store.get(tenantId, ctx.params.id);
    if (ctx.params.force !== true)
      await assertUnused(ctx, { kind: 'skill', refs: [record._id, record.name], what: `The skill ${record.name}` });
    const published = await registry.findOwn(tenantId, record._id);
    if (published !== null && published.version !== '') {
      if (!mayPublish(ctx))
        throw new AppError(
          'forbidden',
          `${record.name} is in the registry: an admin or owner has to unpublish it first`,
        );
      await publishing.withdraw(auditedBy(ctx), record, null);
    }
    const change = { action: 'skill.delete', target: targetOf(record), before: { hash: record.hash } };
    await audit.audited(auditedBy(ctx), change, () => store.remove(record));
    // Read again: an admin may have published the skill meanwhile. After a crash here the sweep removes the orphan.
    const orphan = await registry.findOwn(tenantId, record._id);
    if (orphan === null) return;
    await contents.touchAll(
      tenantId,
      versionsOf(orphan).map(({ hash }) => hash),
    );
    await registry.remove(tenantId, record._id);
  }

  /**
   * Applies the fields. An installed copy keeps its registry name in its content when the tenant renames it, so that only
   * changes of the content count as a modification.
   */
  async #nextState(seen: SkillRecord, given: SkillFields): Promise<SkillState> {
    const source = sourceOf(seen);
    const before = await this.deps.store.load(seen);
    if (source === null) {
      const { version, content } = assertValid(applyFields(given, before), 'The skill');
      return { name: content.head.name, version, content, source };
    }
    const { name = seen.name, ...rest } = given;
    assertName(name);
    const { version, content } = assertValid(applyFields(rest, before), 'The skill');
    return { name, version, content, source };
  }
}

const mayPublish = ({ principal }: Pick<ActionContext<'skills.remove'>, 'principal'>): boolean =>
  principal !== null && isAtLeast(principal.role, 'admin');
