import type { Model } from 'mongoose';
import type { Clock } from '../../lib/clock';
import { isDuplicateKey } from '../../lib/duplicate-key';
import { AppError } from '../../lib/errors';
import { randomId } from '../../lib/ids';
import type { AuditChange, AuditTarget, Recorded } from '../../mixins/audit';
import { WriteConflict } from '../../lib/write-conflict';
import { type FindOptions, ofTenant, type TenantScope } from '../../lib/tenant';
import type { SkillHead, SkillPublisher } from '../../contracts/skills/views';
import type { Contents } from './contents';
import type { SkillModels, SkillRecord } from './models';
import { bytesOf, type SkillContent, type WholeSkill } from './rules/content';

const MAX_SKILLS = 500;

/** What a skill says of itself, but for its name. */
type StoredHead = Omit<SkillHead, 'name'>;

/** Where a copy is from. `name`: what it is called there, as its content says. */
export interface StoredSource {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly hash: string;
  readonly publisher: SkillPublisher;
  readonly published_at: string;
  readonly installed_at: string;
}

/** What a record is to hold. */
export interface SkillState {
  readonly name: string;
  readonly version: string | null;
  readonly content: SkillContent;
  readonly source: StoredSource | null;
}

/** Skills, all within one tenant. Every change is one write that names the state it was decided on. */
export class SkillStore {
  readonly #model: Model<SkillRecord>;

  constructor(
    models: Pick<SkillModels, 'skills'>,
    private readonly contents: Contents,
    private readonly clock: Clock,
  ) {
    this.#model = models.skills;
  }

  /** By name. */
  list(tenantId: string, page: Pick<FindOptions, 'limit' | 'offset'>): Promise<SkillRecord[]> {
    return this.#of(tenantId).find({}, { sort: { name: 1 }, ...page });
  }

  find(
    tenantId: string,
    filter: { _id: string } | { name: string } | { source_id: string },
  ): Promise<SkillRecord | null> {
    return this.#of(tenantId).findOne(filter);
  }

  /** Those of the ids and names that no skill has. */
  async missing(tenantId: string, refs: readonly string[]): Promise<string[]> {
    const among = { $in: [...refs] };
    const found = await this.#of(tenantId).find({ $or: [{ _id: among }, { name: among }] }, { fields: ['name'] });
    const there = new Set(found.flatMap(({ _id, name }) => [_id, name]));
    return refs.filter((ref) => !there.has(ref));
  }

  /** @throws AppError not_found */
  async get(tenantId: string, id: string): Promise<SkillRecord> {
    const found = await this.find(tenantId, { _id: id });
    if (found === null) throw missing(id);
    return found;
  }

  /** The skill of a record as a whole. */
  async whole(record: SkillRecord): Promise<WholeSkill> {
    return { version: headOf(record).version, content: await this.contents.get(record.tenant_id, record.hash) };
  }

  /** @throws AppError conflict where the name is taken, or there are too many; WriteConflict where the copy is there by now */
  async create(
    tenantId: string,
    state: SkillState,
    by: string,
    recorded: Recorded,
    action = 'skill.create',
  ): Promise<SkillRecord> {
    await this.#assertFree(tenantId, state);
    if ((await this.#of(tenantId).count({})) >= MAX_SKILLS)
      throw new AppError('conflict', `There are ${MAX_SKILLS} skills, which is the most; delete one first`);
    const hash = await this.contents.keep(tenantId, state.content);
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
      this.#of(tenantId)
        .insert(record)
        .catch(async (fault: unknown) => {
          if (!isDuplicateKey(fault)) throw fault;
          await this.#assertFree(tenantId, state);
          throw new WriteConflict();
        }),
    );
  }

  /** @throws AppError conflict where the name is taken; WriteConflict where the skill is not what was seen any more */
  async change(
    seen: SkillRecord,
    state: SkillState,
    recorded: Recorded,
    action = 'skill.update',
  ): Promise<SkillRecord> {
    const { _id, tenant_id: tenantId, revision } = seen;
    if (state.name !== seen.name && (await this.find(tenantId, { name: state.name })) !== null)
      throw nameTaken(state.name);
    const hash = await this.contents.keep(tenantId, state.content);
    await this.#needNamed(seen);
    const fields = { ...fieldsOf(state, hash), updated_at: new Date(this.clock.now()) };
    return recorded(changeOf(action, { _id, ...fields }, seen), async () => {
      const changed = await this.#of(tenantId)
        .update({ _id, revision }, { $set: fields, $inc: { revision: 1 } })
        .catch((fault: unknown) => {
          throw isDuplicateKey(fault) ? nameTaken(state.name) : fault;
        });
      if (changed === null) throw new WriteConflict();
      return changed;
    });
  }

  /** Says which version a content has become; nothing where the skill has changed meanwhile. */
  async name(seen: SkillRecord, version: string): Promise<void> {
    const { _id, tenant_id: tenantId, revision } = seen;
    const head = JSON.stringify({ ...headOf(seen), version } satisfies StoredHead);
    await this.#of(tenantId).update({ _id, revision }, { $set: { head }, $inc: { revision: 1 } });
  }

  /** @throws AppError not_found */
  async remove(seen: SkillRecord): Promise<void> {
    const { _id, tenant_id: tenantId } = seen;
    await this.#needNamed(seen);
    if ((await this.#of(tenantId).remove({ _id })) === 0) throw missing(_id);
  }

  /** How many tenants have copies of these skills of the registry. The tenants themselves are not disclosed. */
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

  /** What a record names until now; an installed one has what was installed, too, which runs take up by its version. */
  #needNamed({ tenant_id, hash, source_hash }: SkillRecord): Promise<void> {
    return this.contents.needAll(tenant_id, source_hash === null ? [hash] : [hash, source_hash]);
  }

  /** @throws WriteConflict where the tenant has a copy of this skill by now, AppError conflict where the name is taken */
  async #assertFree(tenantId: string, { name, source }: SkillState): Promise<void> {
    if (source !== null && (await this.find(tenantId, { source_id: source.id })) !== null) throw new WriteConflict();
    if ((await this.find(tenantId, { name })) !== null) throw nameTaken(name);
  }

  #of(tenantId: string): TenantScope<SkillRecord> {
    return ofTenant(this.#model, tenantId);
  }
}

/** What a record holds as JSON is what `fieldsOf` has written. */
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

const missing = (id: string): AppError => new AppError('not_found', `There is no skill ${id}`);

const nameTaken = (name: string): AppError =>
  new AppError('conflict', `You have a skill named ${name}; give this one another "name", or change that one`, {
    details: [{ path: 'name', message: `${name} is taken` }],
  });
