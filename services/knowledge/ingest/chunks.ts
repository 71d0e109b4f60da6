import { ofTenant } from '../../../lib/tenant';
import {
  type ChunkRecord,
  chunkId,
  type ChunkSummary,
  type DocumentRecord,
  type KnowledgeModels,
  idsUnder,
} from '../models';
import type { Chunk, ParseResult } from '../../../lib/documents/contract';

type Models = Pick<KnowledgeModels, 'chunks'>;
type DocumentKey = Pick<DocumentRecord, '_id' | 'tenant_id' | 'base_id'>;

/** Text of a chunk as it is indexed and embedded, with its headings. */
export interface SearchableChunk {
  readonly n: number;
  readonly text: string;
}

const INSERT_BATCH = 500;
const PAGE_CHUNKS = 200;

/** Stores the chunks of a revision. Replaces chunks that an earlier attempt has stored. */
export async function writeChunks(
  models: Models,
  { _id, tenant_id, base_id }: DocumentKey,
  revision: number,
  chunks: readonly Chunk[],
): Promise<void> {
  await ofTenant(models.chunks, tenant_id).remove({ _id: idsUnder(`${_id}:${revision}`) });
  for (let from = 0; from < chunks.length; from += INSERT_BATCH) {
    const rows = chunks.slice(from, from + INSERT_BATCH).map(
      (chunk): ChunkRecord => ({
        ...chunk,
        heading: [...chunk.heading],
        _id: chunkId(_id, revision, chunk.n),
        tenant_id,
        base_id,
        document_id: _id,
        revision,
      }),
    );
    await models.chunks.insertMany(rows, { lean: true });
  }
}

/** Returns all chunks of a revision, in order. */
export async function loadSearchableChunks(
  models: Models,
  document: DocumentKey,
  revision: number,
): Promise<SearchableChunk[]> {
  const chunks: SearchableChunk[] = [];
  for await (const page of searchableChunkPages(models, document, revision)) chunks.push(...page);
  return chunks;
}

/** Yields the chunks of a revision in pages of at most about a megabyte. */
export async function* searchableChunkPages(
  models: Models,
  { _id, tenant_id }: Pick<DocumentKey, '_id' | 'tenant_id'>,
  revision: number,
): AsyncIterableIterator<SearchableChunk[]> {
  const { $gte, $lt } = idsUnder(`${_id}:${revision}`);
  for (let after = $gte; ; ) {
    const rows = await ofTenant(models.chunks, tenant_id).find(
      { _id: { $gt: after, $lt } },
      { sort: { _id: 1 }, limit: PAGE_CHUNKS, fields: ['n', 'text', 'heading'] },
    );
    yield rows.map(({ n, text, heading }) => ({ n, text: [...missingHeadings(heading, text), text].join('\n') }));
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_CHUNKS) return;
    after = last._id;
  }
}

/** Headings that the chunk's text does not already begin with. */
const missingHeadings = (heading: readonly string[], text: string): readonly string[] =>
  heading.filter((line) => !text.slice(0, line.length + 10).includes(line));

export const summarizeChunks = ({
  title,
  pages,
  chunks,
  tokens,
  warnings,
}: Extract<ParseResult, { kind: 'parsed' }>): ChunkSummary => ({
  title,
  pages,
  chunks: chunks.length,
  tokens,
  bytes: chunks.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0),
  warnings: [...warnings],
});
