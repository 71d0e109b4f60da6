import { AppError } from '../../lib/errors';
import type { PinnedSkill } from '../../contracts/skills/views';
import type { ResultOf } from '../../contracts/catalogue';
import type { Contents } from './contents';
import type { SkillRecord } from './models';
import { type Registry, versionsOf } from './registry';
import type { SkillContent } from './rules/content';
import { fileRow, textIn } from './rules/files';
import { headOf, type SkillStore, sourceOf } from './store';

/** Characters that are given at once. */
const MAX_SLICE_CHARS = 128 * 1_024;

type Slice = { readonly offset?: number; readonly limit?: number };

/** Skills as runs take them up: pinned by a hash when they begin, and read by it from then on. */
export class Reading {
  constructor(
    private readonly store: SkillStore,
    private readonly contents: Contents,
    private readonly registry: Registry,
  ) {}

  /** A skill by id or name; without a version as it is now. @throws AppError not_found */
  async pin(tenantId: string, ref: string, version: string | undefined): Promise<PinnedSkill> {
    const record = (await this.store.find(tenantId, { _id: ref })) ?? (await this.store.find(tenantId, { name: ref }));
    if (record === null) throw new AppError('not_found', `There is no skill ${ref}`);
    const { _id: id, name } = record;
    const head = headOf(record);
    if (version === undefined)
      return { id, name, description: head.description, version: head.version, hash: record.hash };
    const hash = await this.#hashIn(record, version);
    const { description } = (await this.contents.get(tenantId, hash)).head;
    return { id, name, description, version, hash };
  }

  /** @throws AppError not_found where the content is gone */
  async read(tenantId: string, hash: string, slice: Slice): Promise<ResultOf<'skills.read'>> {
    const { instructions, files } = await this.#content(tenantId, hash);
    return { text: sliced(instructions, slice), total: instructions.length, files: files.map(fileRow) };
  }

  /** @throws AppError not_found where the content is gone, or has no such file */
  async readFile(tenantId: string, hash: string, path: string, slice: Slice): Promise<ResultOf<'skills.read_file'>> {
    const { head, files } = await this.#content(tenantId, hash);
    const file = files.find((each) => each.path === path);
    if (file === undefined) throw new AppError('not_found', `The skill ${head.name} has no file ${path}`);
    const text = textIn(file.bytes);
    const size = file.bytes.length;
    return text === null ? { text, size, total: 0 } : { text: sliced(text, slice), size, total: text.length };
  }

  /**
   * A version that was published, or installed, is what it was then, whatever the skill has become; else the version is
   * what the skill says that it is now. @throws AppError not_found
   */
  async #hashIn(record: SkillRecord, version: string): Promise<string> {
    const published = await this.registry.own(record.tenant_id, record._id);
    const versions = published === null ? [] : versionsOf(published);
    const found = versions.find((each) => each.version === version);
    if (found !== undefined) return found.hash;
    const source = sourceOf(record);
    const now = source === null ? headOf(record).version : source.version;
    if (now === version) return source?.hash ?? record.hash;
    const there = [...new Set([...versions.map((each) => each.version), ...(now === null ? [] : [now])])];
    const known = there.length === 0 ? 'it has none' : `there are ${there.join(', ')}`;
    throw new AppError('not_found', `The skill ${record.name} has no version ${version}: ${known}`);
  }

  async #content(tenantId: string, hash: string): Promise<SkillContent> {
    const content = await this.contents.find(tenantId, hash);
    if (content !== null) return content;
    throw new AppError('not_found', 'This content of the skill was replaced or deleted too long ago');
  }
}

/** Characters from an offset on, never half of a surrogate pair, which would be another text once it is stored. */
function sliced(text: string, { offset = 0, limit = MAX_SLICE_CHARS }: Slice): string {
  const end = offset + Math.min(limit, MAX_SLICE_CHARS);
  return text.slice(isLow(text, offset) ? offset + 1 : offset, isLow(text, end) ? end - 1 : end);
}

const isLow = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
};
