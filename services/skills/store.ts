import type { Model } from 'mongoose';
import type { Clock } from '../../lib/clock';
import { isDuplicateKey } from '../../lib/duplicate-key';
import { AppError } from '../../lib/errors';
import { randomId } from '../../lib/ids';
import { unresolvedRefs } from '../../lib/unresolved-refs';
import type { AuditChange, AuditTarget, Recorded } from '../../mixins/audit';
import { WriteConflict } from '../../lib/write-conflict';
import { type FindOptions, ofTenant, type TenantScope } from '../../lib/tenant';
import type { SkillHead, SkillPublisher } from '../../contracts/skills/views';
import type { ContentStore } from './content-store';
import type { SkillModels, SkillRecord } from './models';
import { bytesOf, type SkillContent, type WholeSkill } from './rules/content';

const MAX_SKILLS = 500;

/** The head without its name, which has its own field. */
type StoredHead = Omit<SkillHead, 'name'>;

/** Source of an installed copy. `name`: its name in the registry. */
export interface StoredSource {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly hash: string;
  readonly publisher: SkillPublisher;
  readonly published_at: string;
  readonly installed_at: string;
}

/** State of a skill to store. */
export interface SkillState {
  readonly name: string;
  readonly version: string | null;
  readonly content: SkillContent;
  readonly source: StoredSource | null;
}

/** Skills of tenants, with optimistic concurrency control: every change is one write conditional on the revision. */
export class SkillStore {
  readonly #model: Model<SkillRecord>;

  constructor(
    models: Pick<SkillModels, 'skills'>,
    private readonly contents: ContentStore,
    private readonly clock: Clock,
  ) {
    this.#model = models.skills;
  }

  /** Sorted by name. */
  list(tenantId: string, page: Pick<FindOptions, 'limit' | 'offset'>): Promise<SkillRecord[]> {
    return this.#scope(tenantId).find({}, { sort: { name: 1 }, ...page });
  }

  find(
    tenantId: string,
    filter: { _id: string } | { name: string } | { source_id: string },
  ): Promise<SkillRecord | null> {
    return this.#scope(tenantId).findOne(filter);
  }

  /** Returns the ids and names that match no skill. */
  missing(tenantId: string, refs: readonly string[]): Promise<string[]> {
    return unresolvedRefs(refs, (condition) => this.#scope(tenantId).find(condition, { fields: ['name'] }));
  }

  /** @throws AppError not_found */
  async get(tenantId: string, id: string): Promise<SkillRecord> {
    const found = await this.find(tenantId, { _id: id });
    if (found === null) throw notFound(id);
    return found;
  }

  /** Loads the version and content of a record. */
  async load(record: SkillRecord): Promise<WholeSkill> {
    return { version: headOf(record).version, content: await this.contents.get(record.tenant_id, record.hash) };
  }

  /** @throws AppError conflict if the name is in use or the limit is reached; WriteConflict if a copy was installed concurrently */
  async create(
    tenantId: string,
    state: SkillState,
    by: string,
    recorded: Recorded,
    action = 'skill.create',
  ): Promise<SkillRecord> {
    await this.#assertNoDuplicate(tenantId, state);
    if ((await this.#scope(tenantId).count({})) >= MAX_SKILLS)
      throw new AppError('conflict', `The tenant has the maximum of ${MAX_SKILLS} skills; delete one first`);
    const hash = await this.contents.save(tenantId, state.content);
    const now = new Date(this.clock.now());
    const record = {
      _id: randomId(),
      ...fieldsOf(state, hash),
      revision: 1,
      created_by: by,
      created_at: now,
      updated_at: now,
    };
    return recorded(changeOf(action, record, null), () =>
      this.#scope(tenantId)
        .insert(record)
        .catch(async (fault: unknown) => {
          if (!isDuplicateKey(fault)) throw fault;
          await this.#assertNoDuplicate(tenantId, state);
          throw new WriteConflict();
        }),
    );
  }

  /** @throws AppError conflict if the name is in use; WriteConflict if the skill has changed since `seen` */
  async update(
    seen: SkillRecord,
    state: SkillState,
    recorded: Recorded,
    action = 'skill.update',
  ): Promise<SkillRecord> {
    const { _id, tenant_id: tenantId, revision } = seen;
    if (state.name !== seen.name && (await this.find(tenantId, { name: state.name })) !== null)
      throw nameTaken(state.name);
    const hash = await this.contents.save(tenantId, state.content);
    await this.#touchContents(seen);
    const fields = { ...fieldsOf(state, hash), updated_at: new Date(this.clock.now()) };
    return recorded(changeOf(action, { _id, ...fields }, seen), async () => {
      const changed = await this.#scope(tenantId)
        .update({ _id, revision }, { $set: fields, $inc: { revision: 1 } })
        .catch((fault: unknown) => {
          throw isDuplicateKey(fault) ? nameTaken(state.name) : fault;
        });
      if (changed === null) throw new WriteConflict();
      return changed;
    });
  }

  /** Sets the version of the current content. No effect if the skill has changed since `seen`. */
  async setVersion(seen: SkillRecord, version: string): Promise<void> {
    const { _id, tenant_id: tenantId, revision } = seen;
    const head = JSON.stringify({ ...headOf(seen), version } satisfies StoredHead);
    await this.#scope(tenantId).update({ _id, revision }, { $set: { head }, $inc: { revision: 1 } });
  }

  /** @throws AppError not_found */
  async remove(seen: SkillRecord): Promise<void> {
    const { _id, tenant_id: tenantId } = seen;
    await this.#touchContents(seen);
    if ((await this.#scope(tenantId).remove({ _id })) === 0) throw notFound(_id);
  }

  /** Counts the installed copies of registry skills, without their tenants. */
  async installs(sourceIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    if (sourceIds.length === 0) return new Map();
    const counted = await this.#model
      .aggregate<{ _id: string; count: number }>([
        { $match: { source_id: { $in: [...sourceIds] } } },
        { $group: { _id: '$source_id', count: { $sum: 1 } } },
      ])
      .exec();
    return new Map(counted.map(({ _id, count }) => [_id, count]));
  }

  /** Restarts the retention period of the contents that a record references. */
  #touchContents({ tenant_id, hash, source_hash }: SkillRecord): Promise<void> {
    return this.contents.touchAll(tenant_id, source_hash === null ? [hash] : [hash, source_hash]);
  }

  /** @throws WriteConflict if the tenant has a copy of the source; AppError conflict if the name is in use */
  async #assertNoDuplicate(tenantId: string, { name, source }: SkillState): Promise<void> {
    if (source !== null && (await this.find(tenantId, { source_id: source.id })) !== null) throw new WriteConflict();
    if ((await this.find(tenantId, { name })) !== null) throw nameTaken(name);
  }

  #scope(tenantId: string): TenantScope<SkillRecord> {
    return ofTenant(this.#model, tenantId);
  }
}

/** Parse the JSON fields written by `fieldsOf`. */
export const headOf = ({ head }: SkillRecord): StoredHead => JSON.parse(head) as StoredHead;
export const sourceOf = ({ source }: SkillRecord): StoredSource | null =>
  source === null ? null : (JSON.parse(source) as StoredSource);

export const targetOf = ({ _id, name }: Pick<SkillRecord, '_id' | 'name'>): AuditTarget => ({
  type: 'skill',
  id: _id,
  name,
});

function fieldsOf({ name, version, content, source }: SkillState, hash: string) {
  const { name: _name, ...head } = content.head;
  return {
    name,
    head: JSON.stringify({ ...head, version } satisfies StoredHead),
    hash,
    bytes: bytesOf(content),
    file_count: content.files.length,
    source_id: source?.id ?? null,
    source: source === null ? null : JSON.stringify(source),
    source_hash: source?.hash ?? null,
  };
}

function changeOf(
  action: string,
  after: Pick<SkillRecord, '_id' | 'name' | 'hash' | 'source'>,
  before: SkillRecord | null,
): AuditChange {
  const audited = ({ name, hash, source }: Pick<SkillRecord, 'name' | 'hash' | 'source'>) => {
    const from = source === null ? null : (JSON.parse(source) as StoredSource);
    return { name, hash, ...(from === null ? {} : { from: from.id, version: from.version }) };
  };
  return {
    action,
    target: targetOf(after),
    ...(before === null ? {} : { before: audited(before) }),
    after: audited(after),
  };
}

const notFound = (id: string): AppError => new AppError('not_found', `Skill ${id} not found`);

const nameTaken = (name: string): AppError =>
  new AppError('conflict', `A skill named ${name} exists; choose another "name" or update that skill`, {
    details: [{ path: 'name', message: `${name} is in use` }],
  });
