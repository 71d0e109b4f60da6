import type { Tone } from './status';

/** The states of a document as they are shown. */
const STATES: Readonly<Record<string, { readonly tone: Tone; readonly label: string }>> = {
  queued: { tone: 'neutral', label: 'Queued' },
  parsing: { tone: 'info', label: 'Reading' },
  chunking: { tone: 'info', label: 'Splitting' },
  embedding: { tone: 'info', label: 'Indexing' },
  ready: { tone: 'ok', label: 'Ready' },
  failed: { tone: 'danger', label: 'Failed' },
};

interface Ingest {
  readonly status: string;
  readonly progress: { readonly done: number; readonly total: number } | null;
  readonly error: object | null;
}

/** How far a document is: its state in words, and the percentage of the present state where it is counted. */
export function ingestLook({ status, progress, error }: Ingest): { readonly tone: Tone; readonly label: string } {
  const look = STATES[status] ?? { tone: 'neutral' as const, label: status };
  if (status === 'queued' && error !== null) return { tone: 'warn', label: 'Tries again' };
  if (progress === null || progress.total === 0 || status === 'ready') return look;
  return { ...look, label: `${look.label} ${Math.floor((100 * progress.done) / progress.total)}%` };
}

interface Range {
  readonly start: number;
  readonly end: number;
}
interface Piece {
  readonly text: string;
  readonly isMarked: boolean;
}

/** Splits a text at ranges, which are in its order and do not overlap. */
export function markedPieces(text: string, ranges: readonly Range[]): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { start, end } of ranges) {
    pieces.push({ text: text.slice(at, start), isMarked: false }, { text: text.slice(start, end), isMarked: true });
    at = end;
  }
  return [...pieces, { text: text.slice(at), isMarked: false }].filter((piece) => piece.text !== '');
}

interface Place {
  readonly rank: number;
  readonly score: number;
}
interface Ranking {
  readonly words: (Place & { readonly adds: number }) | null;
  readonly vectors: (Place & { readonly adds: number }) | null;
  readonly fused: Place;
  readonly reranked: Place | null;
}
interface RankingRow {
  readonly step: string;
  readonly rank: string;
  readonly score: string;
  readonly note: string;
}

/** Scores by BM25 are close to 0 in small bases. */
const MIN_SCORE = 0.001;
const scoreText = (score: number): string => (score > 0 && score < MIN_SCORE ? `<${MIN_SCORE}` : score.toFixed(3));

/** The steps of a search by which a hit got its place, in words. */
export function rankingRows(ranking: Ranking, mode: string): readonly RankingRow[] {
  const { fused, reranked } = ranking;
  const listed = (step: string, place: Ranking['words']): RankingRow =>
    place === null
      ? { step, rank: '', score: '', note: 'Not among the first hits' }
      : {
          step,
          rank: String(place.rank),
          score: scoreText(place.score),
          note: `Adds ${scoreText(place.adds)} to the fused score`,
        };
  const rows = [
    listed('Words (BM25)', ranking.words),
    listed(mode === 'hybrid' ? 'Vectors (model)' : 'Vectors (spelling)', ranking.vectors),
    { step: 'Fused', rank: String(fused.rank), score: scoreText(fused.score), note: 'Both lists together' },
  ];
  if (reranked === null) return rows;
  const rank = String(reranked.rank);
  return [...rows, { step: 'Reranked', rank, score: scoreText(reranked.score), note: movedText(fused, reranked) }];
}

function movedText({ rank: before }: Place, { rank: after }: Place): string {
  if (before === after) return 'The model kept its place';
  const count = Math.abs(before - after);
  return `The model moved it ${after < before ? 'up' : 'down'} by ${count}`;
}

/** A base is searched by words and, with a model, by meaning. */
export const modeText = (mode: string): string => (mode === 'hybrid' ? 'Words and meaning' : 'Words');

export const EMBEDDING_PROVIDERS = [
  { value: '', label: 'None: search by words' },
  { value: 'openai', label: 'OpenAI' },
  { value: 'google', label: 'Google' },
  { value: 'openai-compatible', label: 'Another server (OpenAI protocol)' },
] as const;

export const RERANK_PROVIDERS = [
  { value: '', label: 'No reranking' },
  { value: 'cohere', label: 'Cohere' },
  { value: 'jina', label: 'Jina' },
  { value: 'compatible', label: 'Another server' },
] as const;

type Fields = Readonly<Record<string, string>>;

const filled = (fields: Fields, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (fields[name]?.trim() ? [[name, fields[name].trim()]] : [])));

/** The embedding of a form; null for a search by words. */
export function embeddingOf(fields: Fields) {
  const { provider = '', model = '' } = fields;
  if (provider === '') return null;
  return { provider, model, ...filled(fields, ['base_url', 'api_key']) };
}

/** The reranking of a form; undefined for none. */
export function rerankOf(fields: Fields) {
  const { provider = '' } = fields;
  return provider === '' ? undefined : { provider, ...filled(fields, ['model', 'base_url', 'api_key']) };
}
