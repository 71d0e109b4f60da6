import { ofTenant } from '../../../mixins/tenant';
import { type ChunkRecord, chunkId, type Cut, type DocumentRecord, type KnowledgeModels, under } from '../models';
import type { Chunk, ParseResult } from '../parsing/contract';

type Models = Pick<KnowledgeModels, 'chunks'>;
type Of = Pick<DocumentRecord, '_id' | 'tenant_id' | 'base_id'>;

/** A chunk as it is searched: what stands above it counts, too. */
export interface SearchedChunk {
  readonly n: number;
  readonly text: string;
}

const AT_ONCE = 500;

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
export async function searchedChunks(
  models: Models,
  { _id, tenant_id }: Of,
  revision: number,
): Promise<SearchedChunk[]> {
  const rows = await ofTenant(models.chunks, tenant_id).find(
    { _id: under(`${_id}:${revision}`) },
    { sort: { _id: 1 }, fields: ['n', 'text', 'heading'] },
  );
  return rows.map(({ n, text, heading }) => ({ n, text: [...above(heading, text), text].join('\n') }));
}

/** A heading with which the chunk begins is in it already. */
const above = (heading: readonly string[], text: string): readonly string[] =>
  heading.filter((line) => !text.slice(0, line.length + 10).includes(line));

export const cutOf = ({ title, pages, chunks, tokens, warnings }: Extract<ParseResult, { kind: 'parsed' }>): Cut => ({
  title,
  pages,
  chunks: chunks.length,
  tokens,
  bytes: chunks.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0),
  warnings: [...warnings],
});
