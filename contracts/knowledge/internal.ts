import { actions } from '../contract';
import { addFileParams, addParams, queryParams } from './params';
import type { AddedDocument, KnowledgeAnswer } from './views';
import { refsParams } from '../rules';
import * as s from '../../lib/schema';

export const internalActions = actions({
  /** Those of the ids and names that no base has. */
  missing: {
    access: 'internal',
    repeatable: true,
    summary: 'Those of the ids and names that no base has',
    params: refsParams,
    result: s.typed<{ refs: string[] }>(),
  },
  /** The same two for steps, which act for no person. */
  query_for: {
    access: 'internal',
    repeatable: true,
    summary: 'What a knowledge base has to say about a question of a step',
    params: queryParams,
    result: s.typed<KnowledgeAnswer>(),
  },
  add_for: {
    access: 'internal',
    repeatable: true,
    summary: 'Adds a text or an address to a knowledge base, for a step',
    params: addParams,
    result: s.typed<AddedDocument>(),
  },
  /** A file of a run, for a step; `upload_id` is the id of the document that it makes, once. */
  add_file_for: {
    access: 'internal',
    summary: 'Adds a file of a run to a knowledge base, for a step',
    params: addFileParams,
    result: s.typed<AddedDocument>(),
  },
  /** Whether the vectors can be searched; for /health/ready. */
  vectors_ready: {
    access: 'internal',
    summary: 'Whether vectors can be searched',
    params: {},
    result: s.typed<{ store: string; ready: boolean }>(),
  },
  /** For steps, which name a base by id or name. */
  resolve: {
    access: 'internal',
    repeatable: true,
    summary: 'A knowledge base by its id or name',
    params: { ref: { type: 'string', min: 1, max: 200 } },
    result: s.typed<{ id: string; name: string }>(),
  },
  /** Bytes that the tenant keeps in all bases. */
  usage: {
    access: 'internal',
    repeatable: true,
    summary: 'How much the tenant keeps in knowledge bases',
    params: {},
    result: s.typed<{ bytes: number; documents: number; bases: number }>(),
  },
});
