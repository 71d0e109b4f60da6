import type { BaseStatistics } from './bases/statistics';
import type { ChunkView, DocumentSource, DocumentView, KnowledgeBaseView } from '../../contracts/knowledge/views';
import type { BaseRecord, ChunkRecord, DocumentRecord, Source } from './models';

export const baseView = (record: BaseRecord, { documents, chunks, bytes }: BaseStatistics): KnowledgeBaseView => ({
  id: record._id,
  name: record.name,
  description: record.description,
  mode: record.embedding === null ? 'lexical' : 'hybrid',
  embedding: record.embedding,
  chunking: record.chunking,
  reembedding:
    record.reembedding === null
      ? null
      : {
          state: record.reembedding.state,
          done: record.reembedding.done,
          total: record.reembedding.total,
          error: record.reembedding.error,
          started_at: record.reembedding.started_at.toISOString(),
          ended_at: record.reembedding.ended_at?.toISOString() ?? null,
        },
  documents,
  chunks,
  bytes,
  created_at: record.created_at.toISOString(),
  updated_at: record.updated_at.toISOString(),
});

/** Describes the searchable content, or the next one if none is searchable yet. */
export function documentView(record: DocumentRecord): DocumentView {
  const content = record.content ?? record.next?.content ?? null;
  const cut = record.cut ?? record.next?.cut ?? null;
  return {
    id: record._id,
    knowledge_base_id: record.base_id,
    name: record.name,
    source: sourceView(record.source),
    status: record.status,
    progress: record.progress,
    error: record.error,
    warnings: [...(cut?.warnings ?? []), ...stalenessWarnings(record)],
    metadata: record.metadata,
    size: content?.size ?? 0,
    content_hash: content?.hash ?? null,
    pages: cut?.pages ?? null,
    chunks: cut?.chunks ?? 0,
    tokens: cut?.tokens ?? 0,
    created_at: record.created_at.toISOString(),
    updated_at: record.updated_at.toISOString(),
  };
}

function sourceView(source: Source): DocumentSource {
  if (source.kind !== 'url') return source;
  const { kind, url, refresh, checked_at, next_check_at } = source;
  return {
    kind,
    url,
    refresh,
    checked_at: checked_at?.toISOString() ?? null,
    next_check_at: next_check_at?.toISOString() ?? null,
  };
}

/** Warns that the searchable content is outdated because the last fetch failed. */
function stalenessWarnings({ source, revision }: DocumentRecord): string[] {
  if (source.kind !== 'url' || source.failure === null || revision === 0) return [];
  const since = source.checked_at === null ? '' : ` of ${source.checked_at.toISOString()}`;
  return [`Searches use the content${since} because the last refresh failed: ${source.failure}`];
}

export const chunkView = ({ _id, n, text, page, heading, start, end, tokens }: ChunkRecord): ChunkView => ({
  id: _id,
  n,
  text,
  page,
  heading,
  start,
  end,
  tokens,
});
