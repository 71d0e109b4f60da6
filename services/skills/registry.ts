/**
 * The registry of published skills. Only this file reads across tenants, and only the collection of published skills;
 * contents are read by a version recorded there.
 */
import type { Model, QueryFilter } from 'mongoose';
import { isDuplicateKey } from '../../lib/duplicate-key';
import { AppError } from '../../lib/errors';
import { WriteConflict } from '../../lib/write-conflict';
import type { Page } from '../../lib/page';
import { ofTenant } from '../../lib/tenant';
import type { RegistryRow } from '../../contracts/skills/views';
import type { ContentStore } from './content-store';
import type { PublishedRecord, SkillModels } from './models';
import { hashOf, type SkillContent } from './rules/content';
import { currentOf, type PublishedVersion } from './rules/publication';
import { queryWords, scoreOf, type WordWeights } from './rules/words';

/** A registry row without the fields computed on read. */
export type StoredRow = Omit<RegistryRow, 'id' | 'installs'>;

/** Candidates ranked per search, collected by the rarest terms first. */
const MAX_RANKED = 500;

/** Content of a registry entry. `words`: search terms of the current version. */
export interface Publication {
  readonly row: StoredRow;
  readonly versions: readonly PublishedVersion[];
  readonly words: WordWeights;
}

/** Installable versions of a skill. `version`: the current one, empty for none. */
export interface RegistryState {
  readonly version: string;
  readonly installable: ReadonlySet<string>;
}

export class Registry {
  readonly #model: Model<PublishedRecord>;

  constructor(
    models: Pick<SkillModels, 'published'>,
    private readonly contents: ContentStore,
  ) {
    this.#model = models.published;
  }

  /** The registry entry of the tenant's own skill, including withdrawn versions. */
  findOwn(tenantId: string, id: string): Promise<PublishedRecord | null> {
    return ofTenant(this.#model, tenantId).findOne({ _id: id });
  }

  /** Current versions of several own skills, by id. */
  async ownVersions(
    tenantId: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, Pick<PublishedRecord, 'version'>>> {
    const found = await ofTenant(this.#model, tenantId).find({ _id: { $in: [...ids] } }, { fields: VERSION_FIELDS });
    return new Map(found.map((record) => [record._id, record]));
  }

  /** An installable skill of any tenant. @throws AppError not_found */
  async get(id: string): Promise<PublishedRecord> {
    const found = await this.#model.findOne({ _id: id, state: 'published' }).lean().exec();
    if (found === null) throw new AppError('not_found', `The registry has no skill ${id}`);
    return found;
  }

  /** Installable versions of skills by id, including withdrawn skills. Streams the records, because `versions` may be large. */
  async states(ids: readonly string[]): Promise<ReadonlyMap<string, RegistryState>> {
    const states = new Map<string, RegistryState>();
    if (ids.length === 0) return states;
    const found = this.#model.find({ _id: { $in: [...ids] } }).select(['version', 'versions']);
    for await (const record of found.lean().cursor()) {
      const installable = versionsOf(record).filter(({ withdrawn_at }) => withdrawn_at === null);
      states.set(record._id, {
        version: record.version,
        installable: new Set(installable.map(({ version }) => version)),
      });
    }
    return states;
  }

  /** Newest publication first. */
  newest({ limit, offset }: Page): Promise<ListedRecord[]> {
    return this.#find({}).sort({ published_at: -1, _id: 1 }).skip(offset).limit(limit).lean().exec();
  }

  /** Search results, best first. */
  async search(query: string, { limit, offset }: Page): Promise<ListedRecord[]> {
    const terms = queryWords(query);
    if (terms.length === 0) return [];
    const [total, ...counts] = await Promise.all([
      this.#model.countDocuments({ state: 'published' }).exec(),
      ...terms.map((word) => this.#model.countDocuments({ words: word }).exec()),
    ]);
    const documentCounts = new Map(terms.map((word, index) => [word, counts[index] as number]));
    const found = await this.#candidates(
      [...terms].sort((a, b) => (documentCounts.get(a) ?? 0) - (documentCounts.get(b) ?? 0)),
    );
    return found
      .map((record) => ({ record, score: scoreOf(record, terms, { total, documentCounts }) }))
      .sort((a, b) => b.score - a.score || (rowOf(a.record).name < rowOf(b.record).name ? -1 : 1))
      .slice(offset, offset + limit)
      .map(({ record }) => record);
  }

  /** The content of a version, verified by its hash. @throws AppError not_found; internal if the hash differs */
  async content(record: PublishedRecord, version: PublishedVersion): Promise<SkillContent> {
    const content = await this.contents.get(record.tenant_id, version.hash);
    if (hashOf(content) === version.hash) return content;
    throw new AppError('internal', 'The content of this version does not match its hash');
  }

  /** Replaces the entry `seen` (null: inserts). @throws WriteConflict */
  async put(
    tenantId: string,
    id: string,
    seen: PublishedRecord | null,
    publication: Publication,
  ): Promise<PublishedRecord> {
    const { row, versions, words } = publication;
    const current = currentOf(versions);
    const fields = {
      state: current === null ? ('withdrawn' as const) : ('published' as const),
      version: current?.version ?? '',
      row: JSON.stringify(row),
      versions: JSON.stringify(versions),
      bytes: versions.reduce((sum, { bytes }) => sum + bytes, 0),
      // A withdrawn skill has no search terms.
      words: current === null ? [] : words.words,
      weights: current === null ? [] : words.weights,
      published_at: new Date(row.published_at),
    };
    const own = ofTenant(this.#model, tenantId);
    if (seen === null) {
      return own.insert({ _id: id, ...fields, revision: 1 }).catch((fault: unknown) => {
        throw isDuplicateKey(fault) ? new WriteConflict() : fault;
      });
    }
    const changed = await own.update({ _id: id, revision: seen.revision }, { $set: fields, $inc: { revision: 1 } });
    if (changed === null) throw new WriteConflict();
    return changed;
  }

  async remove(tenantId: string, id: string): Promise<void> {
    await ofTenant(this.#model, tenantId).remove({ _id: id });
  }

  async #candidates(words: readonly string[]): Promise<ListedRecord[]> {
    const found = new Map<string, ListedRecord>();
    for (const word of words) {
      if (found.size >= MAX_RANKED) break;
      const having = await this.#find({ words: word }).limit(MAX_RANKED).lean().exec();
      for (const record of having) found.set(record._id, record);
    }
    return [...found.values()];
  }

  #find(filter: QueryFilter<PublishedRecord>) {
    return this.#model.find({ ...filter, state: 'published' }).select<ListedRecord>([...LIST_FIELDS]);
  }
}

/** Fields that lists read; `versions` may be large. */
const LIST_FIELDS = ['row', 'words', 'weights'] as const;
type ListedRecord = Pick<PublishedRecord, '_id' | (typeof LIST_FIELDS)[number]>;

const VERSION_FIELDS = ['version'] as const;

/** Parse the JSON fields written by `put`. */
export const rowOf = ({ row }: Pick<PublishedRecord, 'row'>): StoredRow => JSON.parse(row) as StoredRow;
export const versionsOf = ({ versions }: Pick<PublishedRecord, 'versions'>): PublishedVersion[] =>
  JSON.parse(versions) as PublishedVersion[];
