import { AppError, errorCode, errorMessage } from '../../../lib/errors';
import { isObject, parseJsonOrUndefined } from '../../../lib/json';
import { resolveSecret } from '../../../mixins/secret-reference';
import type { EmbeddingOwner } from '../embedding';
import type { Providers } from '../providers';

/** Both providers have the same `POST /rerank` API. */
const DEFAULT_URLS = { cohere: 'https://api.cohere.com/v2', jina: 'https://api.jina.ai/v1', compatible: null } as const;
const RERANK_PROVIDERS = ['cohere', 'jina', 'compatible'] as const;

/** A cross-encoder that scores texts for a query. */
export interface RerankConfig {
  readonly model: string;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  /** A key, or a reference to a secret. */
  readonly apiKey: string | null;
}

/** Texts sent to the model; hits after these are dropped. */
export const MAX_RERANKED = 50;
const MAX_TEXT_CHARS = 8_000;
const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

/** @throws AppError invalid_query */
export function parseRerank(given: unknown): RerankConfig {
  const { provider = 'compatible', model, base_url, api_key, ...rest } = isObject(given) ? given : { provider: null };
  const knownProvider = RERANK_PROVIDERS.find((name) => name === provider);
  if (knownProvider === undefined) throw invalid('rerank.provider', `must be one of ${RERANK_PROVIDERS.join(', ')}`);
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw invalid(`rerank.${unknown}`, 'is unknown; use provider, model, base_url, api_key');
  if (typeof model !== 'string' || model === '' || model.length > 200)
    throw invalid('rerank.model', 'must be the name of a model');
  const url = base_url ?? DEFAULT_URLS[knownProvider];
  if (typeof url !== 'string' || url.length > 2_000 || !/^https?:\/\//.test(url) || !URL.canParse(url))
    throw invalid('rerank.base_url', 'must be the address of the server, without /rerank');
  if (api_key !== undefined && api_key !== null && (typeof api_key !== 'string' || api_key.length > 10_000))
    throw invalid('rerank.api_key', 'must be a text such as {{ secret.NAME }}');
  return { model, baseUrl: url.replace(/\/+$/, ''), apiKey: api_key ?? null };
}

const invalid = (path: string, message: string): AppError =>
  new AppError('invalid_query', `'${path}' ${message}`, { details: [{ path, message }] });

/** Scores from 0 to 1 in the order of the texts, or the reason of the failure. */
type Reranked = { readonly scores: readonly number[] } | { readonly problem: string };

/** Scores texts in one request. Failures of the server are returned as `problem`. @throws AppError unknown_secret */
export async function rerank(
  { egress }: Providers,
  owner: EmbeddingOwner,
  { model, baseUrl, apiKey }: RerankConfig,
  question: string,
  texts: readonly string[],
): Promise<Reranked> {
  const key = apiKey === null ? null : await resolveSecret(apiKey, owner);
  const redact = (text: string): string => (key === null || key.length < 3 ? text : text.replaceAll(key, '***'));
  const documents = texts.map((text) => text.slice(0, MAX_TEXT_CHARS));
  try {
    const { status, body } = await egress.request({
      method: 'POST',
      url: `${baseUrl}/rerank`,
      headers: { 'content-type': 'application/json', ...(key === null ? {} : { authorization: `Bearer ${key}` }) },
      body: JSON.stringify({ model, query: question, documents, top_n: documents.length }),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
      maxRedirects: 0,
    });
    if (status !== 200) return { problem: `the server of ${model} answered ${status}` };
    return parseScores(body.toString('utf8'), documents.length);
  } catch (fault) {
    // An egress error: its message describes what happened to the request.
    if (errorCode(fault) !== undefined) throw fault;
    return { problem: redact(`the request to ${model} failed: ${errorMessage(fault)}`) };
  }
}

/** Parses a response `{results: [{index, relevance_score}]}`. Pure. */
export function parseScores(body: string, count: number): Reranked {
  const unreadable = { problem: 'the response of the server is invalid' };
  const parsed = parseJsonOrUndefined(body);
  if (!isObject(parsed) || !Array.isArray(parsed.results)) return unreadable;
  const scores: (number | undefined)[] = Array.from({ length: count });
  for (const result of parsed.results as unknown[]) {
    if (!isObject(result)) return unreadable;
    const { index, relevance_score: score } = result;
    if (typeof index !== 'number' || typeof score !== 'number' || !Number.isFinite(score)) return unreadable;
    if (Number.isInteger(index) && index >= 0 && index < count) scores[index] = Math.min(1, Math.max(0, score));
  }
  return scores.includes(undefined)
    ? { problem: 'the server did not score every text' }
    : { scores: scores as number[] };
}
