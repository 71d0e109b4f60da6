/**
 * The registry: what tenants have published, for everybody. This file alone reads over the wall between tenants, and only
 * from the collection of what is published; contents are reached by a version on record there.
 */
import type { Model, QueryFilter } from 'mongoose';
import { isDuplicateKey } from '../../lib/duplicate-key';
import { AppError } from '../../lib/errors';
import { WriteConflict } from '../../lib/write-conflict';
import { ofTenant } from '../../lib/tenant';
import type { RegistryRow } from '../../contracts/skills/views';
import type { Contents } from './contents';
import type { PublishedRecord, SkillModels } from './models';
import { hashOf, type SkillContent } from './rules/content';
import { currentOf, type PublishedVersion } from './rules/publication';
import { queryWords, scoreOf, type WordWeights } from './rules/words';

/** A row without what is counted when it is asked for. */
export type StoredRow = Omit<RegistryRow, 'id' | 'installs'>;

/** Skills that are ranked for a question; those with its rarest words first. */
const MAX_RANKED = 500;

/** A page of a list. */
interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** What the registry is to hold of a skill; `words` are those of the newest version that can be installed. */
export interface Publication {
  readonly row: StoredRow;
  readonly versions: readonly PublishedVersion[];
  readonly words: WordWeights;
}

/** What can be installed of a skill; `version`: the newest, empty for none. */
export interface RegistryState {
  readonly version: string;
  readonly installable: ReadonlySet<string>;
}

export class Registry {
  readonly #model: Model<PublishedRecord>;

  constructor(
    models: Pick<SkillModels, 'published'>,
    private readonly contents: Contents,
  ) {
    this.#model = models.published;
  }

  /** What the tenant has published of a skill of its own; withdrawn versions too. */
  own(tenantId: string, id: string): Promise<PublishedRecord | null> {
    return ofTenant(this.#model, tenantId).findOne({ _id: id });
  }

  /** Of several, by id, the newest version that can be installed. */
  async ownOf(
    tenantId: string,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, Pick<PublishedRecord, 'version'>>> {
    const found = await ofTenant(this.#model, tenantId).find({ _id: { $in: [...ids] } }, { fields: SLIM });
    return new Map(found.map((record) => [record._id, record]));
  }

  /** A skill that anybody can install. @throws AppError not_found */
  async get(id: string): Promise<PublishedRecord> {
    const found = await this.#model.findOne({ _id: id, state: 'published' }).lean().exec();
    if (found === null) throw new AppError('not_found', `The registry has no skill ${id}`);
    return found;
  }

  /** What has become of skills that were installed, withdrawn ones too, by id; one at a time, since versions may be many. */
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

  /** Published last, first. */
  newest({ limit, offset }: Page): Promise<ListedRecord[]> {
    return this.#find({}).sort({ published_at: -1, _id: 1 }).skip(offset).limit(limit).lean().exec();
  }

  /** The best answers to a question, the best first. */
  async search(query: string, { limit, offset }: Page): Promise<ListedRecord[]> {
    const asked = queryWords(query);
    if (asked.length === 0) return [];
    const [total, ...counts] = await Promise.all([
      this.#model.countDocuments({ state: 'published' }).exec(),
      ...asked.map((word) => this.#model.countDocuments({ words: word }).exec()),
    ]);
    const having = new Map(asked.map((word, index) => [word, counts[index] as number]));
    const found = await this.#candidates([...asked].sort((a, b) => (having.get(a) ?? 0) - (having.get(b) ?? 0)));
    return found
      .map((record) => ({ record, score: scoreOf(record, asked, { total, having }) }))
      .sort((a, b) => b.score - a.score || (rowOf(a.record).name < rowOf(b.record).name ? -1 : 1))
      .slice(offset, offset + limit)
      .map(({ record }) => record);
  }

  /** The content of a version, which is what was published. @throws AppError not_found, internal when it is not */
  async content(record: PublishedRecord, version: PublishedVersion): Promise<SkillContent> {
    const content = await this.contents.get(record.tenant_id, version.hash);
    if (hashOf(content) === version.hash) return content;
    throw new AppError('internal', 'The content of this version is not what was published');
  }

  /** Puts a publication in the place of what was seen of it (null for nothing). @throws WriteConflict */
  async put(tenantId: string, id: string, seen: PublishedRecord | null, made: Publication): Promise<PublishedRecord> {
    const { row, versions, words } = made;
    const current = currentOf(versions);
    const fields = {
      state: current === null ? ('withdrawn' as const) : ('published' as const),
      version: current?.version ?? '',
      row: JSON.stringify(row),
      versions: JSON.stringify(versions),
      bytes: versions.reduce((sum, { bytes }) => sum + bytes, 0),
      // What can be found by no word is in no answer.
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

  /** Forgets a skill that is no more. */
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
    return this.#model.find({ ...filter, state: 'published' }).select<ListedRecord>([...LISTED]);
  }
}

/** What a list takes; versions may be many. */
const LISTED = ['row', 'words', 'weights'] as const;
type ListedRecord = Pick<PublishedRecord, '_id' | (typeof LISTED)[number]>;

const SLIM = ['version'] as const;

/** What a record holds as JSON is what `put` has written. */
export const rowOf = ({ row }: Pick<PublishedRecord, 'row'>): StoredRow => JSON.parse(row) as StoredRow;
export const versionsOf = ({ versions }: Pick<PublishedRecord, 'versions'>): PublishedVersion[] =>
  JSON.parse(versions) as PublishedVersion[];
