import { AppError } from '../../lib/errors';
import { auditedBy, type AuditLog, recordedBy } from '../../mixins/audit';
import { nullOnConflict } from '../../lib/write-conflict';
import { ROLES } from '../../lib/roles';
import type { ActionContext } from '../../mixins/service';
import type { SkillFields, SkillView } from '../../contracts/skills/views';
import type { Contents } from './contents';
import type { SkillRecord } from './models';
import type { Publishing } from './publishing';
import { type Registry, versionsOf } from './registry';
import { readFields } from './rules/content';
import { must } from './rules/fault';
import { assertName } from './rules/head';
import { type SkillState, type SkillStore, sourceOf, targetOf } from './store';
import type { SkillViews } from './views';
import { assertUnused } from '../../mixins/in-use';

/** How often a change starts over because another one came first. */
const MAX_TRIES = 16;

interface EditingDeps {
  readonly store: SkillStore;
  readonly contents: Contents;
  readonly registry: Registry;
  readonly publishing: Publishing;
  readonly views: SkillViews;
  readonly audit: AuditLog;
}

/** Creates, changes and removes skills on behalf of a person. */
export class Editing {
  constructor(private readonly deps: EditingDeps) {}

  /** @throws AppError invalid_request with every fault, conflict */
  async create(ctx: ActionContext<'skills.create'>): Promise<SkillView> {
    const { store, views, audit } = this.deps;
    const { version, content } = must(readFields(ctx.params), 'The skill');
    const state = { name: content.head.name, version, content, source: null };
    const by = ctx.principal?.user_id ?? 'service';
    return views.view(await store.create(ctx.tenantId, state, by, recordedBy(audit, auditedBy(ctx))));
  }

  /** Changes the fields that are given. @throws AppError not_found, invalid_request with every fault, conflict */
  async update(ctx: ActionContext<'skills.update'>): Promise<SkillView> {
    const { store, views, audit } = this.deps;
    const { id, ...given } = ctx.params;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const seen = await store.get(ctx.tenantId, id);
      const state = await this.#changed(seen, given);
      const changed = await nullOnConflict(store.change(seen, state, recordedBy(audit, auditedBy(ctx))));
      if (changed !== null) return views.view(changed);
    }
    throw new AppError('conflict', 'Too many changes of this skill at the same time; try again');
  }

  /** What is in the registry is taken out of it first. @throws AppError not_found, forbidden */
  async remove(ctx: ActionContext<'skills.remove'>): Promise<void> {
    const { store, contents, registry, publishing, audit } = this.deps;
    const { tenantId } = ctx;
    const record = await store.get(tenantId, ctx.params.id);
    if (ctx.params.force !== true)
      await assertUnused(ctx, { kind: 'skill', refs: [record._id, record.name], what: `The skill ${record.name}` });
    const published = await registry.own(tenantId, record._id);
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
    // Looked at anew: an admin may have published it meanwhile. Where this ends before the next lines, a sweep goes on.
    const left = await registry.own(tenantId, record._id);
    if (left === null) return;
    await contents.needAll(
      tenantId,
      versionsOf(left).map(({ hash }) => hash),
    );
    await registry.remove(tenantId, record._id);
  }

  /**
   * What the skill becomes. A copy from the registry keeps the name that it has there in its content, whatever the tenant
   * calls it, so that only what it says makes it another one.
   */
  async #changed(seen: SkillRecord, given: SkillFields): Promise<SkillState> {
    const source = sourceOf(seen);
    const before = await this.deps.store.whole(seen);
    if (source === null) {
      const { version, content } = must(readFields(given, before), 'The skill');
      return { name: content.head.name, version, content, source };
    }
    const { name = seen.name, ...rest } = given;
    assertName(name);
    const { version, content } = must(readFields(rest, before), 'The skill');
    return { name, version, content, source };
  }
}

const mayPublish = ({ principal }: Pick<ActionContext<'skills.remove'>, 'principal'>): boolean =>
  principal !== null && principal.role !== 'service' && ROLES.indexOf(principal.role) >= ROLES.indexOf('admin');
