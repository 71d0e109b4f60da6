import { actions } from '../contract';
import { PART_BYTES } from '../files';
import { id, typed } from '../rules';
import { count, hash, optional, slice, version } from './params';
import { type PinnedSkill, SkillDraft, type SkillFileView } from './views';
import * as s from '../../lib/schema';

export const internalActions = actions({
  begin_upload: {
    access: 'member',
    repeatable: true,
    integrators: true,
    summary: 'Begins a bundle that is to be parsed',
    description: 'A bundle comes in parts: begun, put, then parsed by `commit_upload`.',
    params: typed<{ upload_id: string; filename: string; content_type: string; announced: number | null }>()({
      upload_id: { type: 'uuid' },
      filename: { type: 'string', max: 1_000 },
      content_type: { type: 'string', max: 1_000 },
      announced: { type: 'number', nullable: true, ...optional },
    }),
    result: s.nothing,
    errors: ['conflict', 'payload_too_large', 'quota_exceeded'],
  },
  put_upload: {
    access: 'member',
    repeatable: true,
    integrators: true,
    summary: 'A part of a bundle',
    params: { upload_id: { type: 'uuid' }, n: count, data: { type: 'string', max: Math.ceil(PART_BYTES / 3) * 4 } },
    result: s.nothing,
    errors: ['conflict', 'payload_too_large'],
  },
  commit_upload: {
    access: 'member',
    integrators: true,
    summary: 'What a bundle holds; nothing of it is stored',
    params: { upload_id: { type: 'uuid' }, size: count },
    result: SkillDraft,
    errors: ['conflict', 'payload_too_large', 'quota_exceeded'],
  },
  give_up_upload: {
    access: 'member',
    repeatable: true,
    integrators: true,
    summary: 'Forgets a bundle that is not going to be parsed',
    params: { upload_id: { type: 'uuid' } },
    result: s.nothing,
  },
  /** Those of the ids and names that no skill of the tenant has. */
  missing: {
    access: 'internal',
    repeatable: true,
    summary: 'Those of the ids and names that no skill has',
    params: { refs: { type: 'array', items: 'string', max: 200 } },
    result: s.typed<{ refs: string[] }>(),
  },
  /** A skill of the tenant by id or name, as it is now or in a version. */
  pin: {
    access: 'internal',
    repeatable: true,
    summary: 'A skill by id or name, for a run that takes it up',
    params: { ref: id, version },
    result: s.typed<PinnedSkill>(),
  },
  /** Files of a pinned content, and its instructions from a character on. */
  read: {
    access: 'internal',
    repeatable: true,
    summary: 'Instructions of a pinned skill, and its files by name',
    params: { hash, ...slice },
    result: s.typed<{
      text: string;
      total: number;
      files: SkillFileView[];
    }>(),
  },
  /** Characters of a file of a pinned content; `text` is null where it is none. */
  read_file: {
    access: 'internal',
    repeatable: true,
    summary: 'A file of a pinned skill',
    params: { hash, path: { type: 'string', min: 1, max: 1_024 }, ...slice },
    result: s.typed<{
      text: string | null;
      size: number;
      total: number;
    }>(),
  },
});
