import { ofTenant } from '../../../lib/tenant';
import {
  type ChunkRecord,
  chunkId,
  type ChunkSummary,
  type DocumentRecord,
  type KnowledgeModels,
  under,
} from '../models';
import type { Chunk, ParseResult } from '../../../lib/documents/contract';

type Models = Pick<KnowledgeModels, 'chunks'>;
type Of = Pick<DocumentRecord, '_id' | 'tenant_id' | 'base_id'>;

/** A chunk as it is searched: what stands above it counts, too. */
export interface SearchedChunk {
  readonly n: number;
  readonly text: string;
}

const AT_ONCE = 500;
const PAGE = 200;

/** Stores the chunks of a revision in the place of what an earlier try has left of it. */
export async function writeChunks(
  models: Models,
  { _id, tenant_id, base_id }: Of,
  revision: number,
  chunks: readonly Chunk[],
): Promise<void> {
  await ofTenant(models.chunks, tenant_id).remove({ _id: under(`${_id}:${revision}`) });
  for (let from = 0; from < chunks.length; from += AT_ONCE) {
    const rows = chunks.slice(from, from + AT_ONCE).map(
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

/** The chunks of a revision, in their order. */
export async function searchedChunks(models: Models, document: Of, revision: number): Promise<SearchedChunk[]> {
  const chunks: SearchedChunk[] = [];
  for await (const page of searchedChunkPages(models, document, revision)) chunks.push(...page);
  return chunks;
}

/** The same in pages, of about a megabyte at most. */
export async function* searchedChunkPages(
  models: Models,
  { _id, tenant_id }: Pick<Of, '_id' | 'tenant_id'>,
  revision: number,
): AsyncIterableIterator<SearchedChunk[]> {
  const { $gte, $lt } = under(`${_id}:${revision}`);
  for (let after = $gte; ; ) {
    const rows = await ofTenant(models.chunks, tenant_id).find(
      { _id: { $gt: after, $lt } },
      { sort: { _id: 1 }, limit: PAGE, fields: ['n', 'text', 'heading'] },
    );
    yield rows.map(({ n, text, heading }) => ({ n, text: [...above(heading, text), text].join('\n') }));
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = last._id;
  }
}

/** A heading with which the chunk begins is in it already. */
const above = (heading: readonly string[], text: string): readonly string[] =>
  heading.filter((line) => !text.slice(0, line.length + 10).includes(line));

export const chunkSummaryOf = ({
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
