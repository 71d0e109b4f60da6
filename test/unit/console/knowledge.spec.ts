import { embeddingOf, ingestLook, markedPieces, rankingRows, rerankOf } from '../../../console/src/model/knowledge';

it('says how far a document is', () => {
  const document = { status: 'embedding', progress: { done: 3, total: 8 }, error: null };
  expect(ingestLook(document).label).toBe('Indexing 37%');
  expect(ingestLook({ ...document, status: 'ready' }).label).toBe('Ready');
  expect(ingestLook({ status: 'queued', progress: null, error: {} })).toEqual({ tone: 'warn', label: 'Tries again' });
  expect(ingestLook({ status: 'new', progress: null, error: null }).label).toBe('new');
});

it('splits a text at its highlights', () => {
  const pieces = markedPieces('28 days', [{ start: 3, end: 7 }]);
  expect(pieces).toEqual([
    { text: '28 ', isMarked: false },
    { text: 'days', isMarked: true },
  ]);
  expect(markedPieces('', [])).toEqual([]);
});

it('explains a ranking', () => {
  const ranking = {
    words: { rank: 2, score: 0.000_01, adds: 0.4 },
    vectors: null,
    fused: { rank: 3, score: 0.4 },
    reranked: { rank: 1, score: 0.9 },
  };
  expect(rankingRows(ranking, 'hybrid').map((row) => Object.values(row).join(' | '))).toEqual([
    'Words (BM25) | 2 | <0.001 | Adds 0.400 to the fused score',
    'Vectors (model) |  |  | Not among the first hits',
    'Fused | 3 | 0.400 | Both lists together',
    'Reranked | 1 | 0.900 | The model moved it up by 2',
  ]);
  const kept = { ...ranking, reranked: { rank: 3, score: 0.9 } };
  expect(rankingRows(kept, 'lexical').at(-1)?.note).toBe('The model kept its place');
  expect(rankingRows({ ...ranking, reranked: null }, 'lexical')).toHaveLength(3);
});

it('reads models of forms', () => {
  expect(embeddingOf({ provider: '' })).toBeNull();
  expect(embeddingOf({ provider: 'openai', model: 'm', base_url: ' ' })).toEqual({ provider: 'openai', model: 'm' });
  expect(rerankOf({})).toBeUndefined();
  expect(rerankOf({ provider: 'jina', model: 'r', api_key: '{{ secret.K }}' })).toEqual({
    provider: 'jina',
    model: 'r',
    api_key: '{{ secret.K }}',
  });
});
