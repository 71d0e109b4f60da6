import { AppError } from '../../lib/errors';
import type { PinnedSkill } from '../../contracts/skills/views';
import type { ResultOf } from '../../contracts/catalogue';
import type { ContentStore } from './content-store';
import type { SkillRecord } from './models';
import { type Registry, versionsOf } from './registry';
import type { SkillContent } from './rules/content';
import { fileRow, decodeText } from './rules/files';
import { headOf, type SkillStore, sourceOf } from './store';

/** Per response. */
const MAX_SLICE_CHARS = 128 * 1_024;

type Slice = { readonly offset?: number; readonly limit?: number };

/** Read access for runs. A run pins a content hash when it starts and reads by the hash from then on. */
export class SkillReader {
  constructor(
    private readonly store: SkillStore,
    private readonly contents: ContentStore,
    private readonly registry: Registry,
  ) {}

  /** Resolves a skill by id or name to a hash; without a version, to its current content. @throws AppError not_found */
  async pin(tenantId: string, ref: string, version: string | undefined): Promise<PinnedSkill> {
    const record = (await this.store.find(tenantId, { _id: ref })) ?? (await this.store.find(tenantId, { name: ref }));
    if (record === null) throw new AppError('not_found', `Skill ${ref} not found`);
    const { _id: id, name } = record;
    const head = headOf(record);
    if (version === undefined)
      return { id, name, description: head.description, version: head.version, hash: record.hash };
    const hash = await this.#hashOfVersion(record, version);
    const { description } = (await this.contents.get(tenantId, hash)).head;
    return { id, name, description, version, hash };
  }

  /** @throws AppError not_found if the content was removed */
  async read(tenantId: string, hash: string, slice: Slice): Promise<ResultOf<'skills.read'>> {
    const { instructions, files } = await this.#content(tenantId, hash);
    return { text: sliceText(instructions, slice), total: instructions.length, files: files.map(fileRow) };
  }

  /** @throws AppError not_found if the content was removed or has no such file */
  async readFile(tenantId: string, hash: string, path: string, slice: Slice): Promise<ResultOf<'skills.read_file'>> {
    const { head, files } = await this.#content(tenantId, hash);
    const file = files.find((each) => each.path === path);
    if (file === undefined) throw new AppError('not_found', `The skill ${head.name} has no file ${path}`);
    const text = decodeText(file.bytes);
    const size = file.bytes.length;
    return text === null ? { text, size, total: 0 } : { text: sliceText(text, slice), size, total: text.length };
  }

  /**
   * A published or installed version resolves to its original content. Any other version must be the current version of
   * the skill. @throws AppError not_found
   */
  async #hashOfVersion(record: SkillRecord, version: string): Promise<string> {
    const published = await this.registry.findOwn(record.tenant_id, record._id);
    const versions = published === null ? [] : versionsOf(published);
    const found = versions.find((each) => each.version === version);
    if (found !== undefined) return found.hash;
    const source = sourceOf(record);
    const now = source === null ? headOf(record).version : source.version;
    if (now === version) return source?.hash ?? record.hash;
    const existing = [...new Set([...versions.map((each) => each.version), ...(now === null ? [] : [now])])];
    const known = existing.length === 0 ? 'it has none' : `use one of ${existing.join(', ')}`;
    throw new AppError('not_found', `The skill ${record.name} has no version ${version}: ${known}`);
  }

  async #content(tenantId: string, hash: string): Promise<SkillContent> {
    const content = await this.contents.find(tenantId, hash);
    if (content !== null) return content;
    throw new AppError(
      'not_found',
      'This content of the skill was removed, because the skill was changed or deleted more than 30 days ago',
    );
  }
}

/** Returns a slice that never splits a surrogate pair: a lone surrogate would be replaced when it is encoded. */
function sliceText(text: string, { offset = 0, limit = MAX_SLICE_CHARS }: Slice): string {
  const end = offset + Math.min(limit, MAX_SLICE_CHARS);
  return text.slice(isLowSurrogate(text, offset) ? offset + 1 : offset, isLowSurrogate(text, end) ? end - 1 : end);
}

const isLowSurrogate = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
};
