import { ANSWERS } from './answers';
import type { UploadRoute } from './route';

/** Files as `multipart/form-data`. */
export const uploadRoutes: readonly UploadRoute[] = [
  {
    kind: 'upload',
    service: 'knowledge',
    method: 'POST',
    path: '/api/v1/knowledge-bases/:base_id/documents/upload',
    access: 'member',
    summary: 'Adds a file; 200 where the base has it already',
    status: 201,
    fields: { name: 'text', metadata: 'json' },
    answer: (ANSWERS['knowledge.commit_upload'] ?? null) as UploadRoute['answer'],
  },
  {
    kind: 'upload',
    service: 'skills',
    method: 'POST',
    path: '/api/v1/skills/parse',
    access: 'member',
    summary: 'What a bundle (`file`, a zip with SKILL.md) holds; nothing is stored',
    status: 200,
    fields: {},
    answer: null,
  },
  {
    kind: 'upload',
    service: 'evaluations',
    method: 'POST',
    path: '/api/v1/datasets/:dataset_id/rows/upload',
    access: 'member',
    summary: 'Adds the rows of a file: CSV with a header, a JSON list, or JSON lines',
    status: 200,
    fields: { format: 'text', columns: 'json' },
    answer: null,
  },
];
