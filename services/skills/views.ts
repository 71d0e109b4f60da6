import { gt } from 'semver';
import type {
  RegistryRow,
  RegistryView,
  SkillPublication,
  SkillRow,
  SkillSource,
  SkillVersionView,
  SkillView,
} from '../../contracts/skills/views';
import type { PublishedRecord, SkillRecord } from './models';
import { type Registry, type RegistryState, rowOf, type StoredRow, versionsOf } from './registry';
import { bytesOf, type SkillContent } from './rules/content';
import { fileRow, fileView } from './rules/files';
import { newestFirst, type PublishedVersion } from './rules/publication';
import { keywordsOf } from './rules/words';
import { headOf, sourceOf, type SkillStore, type StoredSource } from './store';

/** API views of skills, with their current registry state. */
export class SkillViews {
  constructor(
    private readonly store: SkillStore,
    private readonly registry: Registry,
  ) {}

  async rows(tenantId: string, records: readonly SkillRecord[]): Promise<SkillRow[]> {
    const sources = records.flatMap(({ source_id }) => source_id ?? []);
    const [published, states] = await Promise.all([
      this.registry.ownVersions(
        tenantId,
        records.map(({ _id }) => _id),
      ),
      this.registry.states(sources),
    ]);
    return records.map((record) => rowView(record, published.get(record._id), states.get(record.source_id ?? '')));
  }

  async view(record: SkillRecord): Promise<SkillView> {
    const [rows, published, { content }] = await Promise.all([
      this.rows(record.tenant_id, [record]),
      this.registry.findOwn(record.tenant_id, record._id),
      this.store.load(record),
    ]);
    return {
      ...(rows[0] as SkillRow),
      instructions: content.instructions,
      files: content.files.map(fileView),
      publication: published === null ? null : publicationView(published),
    };
  }

  async published(records: readonly Pick<PublishedRecord, '_id' | 'row'>[]): Promise<RegistryRow[]> {
    const installs = await this.store.installs(records.map(({ _id }) => _id));
    return records.map((record) => ({ id: record._id, ...rowOf(record), installs: installs.get(record._id) ?? 0 }));
  }

  /** Public view of a published version. */
  async publishedView(
    record: PublishedRecord,
    version: PublishedVersion,
    content: SkillContent,
  ): Promise<RegistryView> {
    const installs = await this.store.installs([record._id]);
    return {
      id: record._id,
      ...storedRow(content, version, rowOf(record).publisher),
      installs: installs.get(record._id) ?? 0,
      metadata: content.head.metadata,
      allowed_tools: content.head.allowed_tools,
      instructions: content.instructions,
      files: content.files.map(fileRow),
      versions: newestFirst(versionsOf(record)).map(versionView),
    };
  }
}

function rowView(
  record: SkillRecord,
  published: Pick<PublishedRecord, 'version'> | undefined,
  state: RegistryState | undefined,
): SkillRow {
  const { _id: id, name, hash, bytes, file_count, created_by } = record;
  const source = sourceOf(record);
  return {
    id,
    name,
    ...headOf(record),
    hash,
    bytes,
    file_count,
    source: source === null ? null : sourceView(source, hash, state),
    published_version: published === undefined || published.version === '' ? null : published.version,
    created_by,
    created_at: record.created_at.toISOString(),
    updated_at: record.updated_at.toISOString(),
  };
}

function sourceView(
  { name: _name, ...source }: StoredSource,
  hash: string,
  state: RegistryState | undefined,
): SkillSource {
  const newest = state?.version ?? '';
  return {
    ...source,
    modified: hash !== source.hash,
    update_available: newest !== '' && gt(newest, source.version) ? newest : null,
    withdrawn: state === undefined || !state.installable.has(source.version),
  };
}

const publicationView = (record: PublishedRecord): SkillPublication => ({
  version: record.version === '' ? null : record.version,
  versions: newestFirst(versionsOf(record)).map(versionView),
});

const versionView = ({ version, hash, notes, published_at, withdrawn_at }: PublishedVersion): SkillVersionView => ({
  version,
  hash,
  notes,
  published_at,
  withdrawn_at,
});

/** The list row of a version. */
export const storedRow = (
  content: SkillContent,
  { version, hash, published_at }: PublishedVersion,
  publisher: StoredRow['publisher'],
): StoredRow => ({
  name: content.head.name,
  description: content.head.description,
  version,
  hash,
  license: content.head.license,
  keywords: keywordsOf(content.head.metadata),
  publisher,
  bytes: bytesOf(content),
  file_count: content.files.length,
  published_at,
});
