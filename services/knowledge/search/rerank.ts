import { AppError, errorCode, errorMessage } from '../../../lib/errors';
import { isObject, parseJsonOrUndefined } from '../../../lib/json';
import { resolveSecret } from '../../../mixins/secret-reference';
import type { EmbeddingOwner } from '../embedding';
import type { Providers } from '../providers';

/** Where the servers are whose users need not say so; both take `POST /rerank` in the same words. */
const URLS = { cohere: 'https://api.cohere.com/v2', jina: 'https://api.jina.ai/v1', compatible: null } as const;
const RERANK_PROVIDERS = ['cohere', 'jina', 'compatible'] as const;

/** A model that reads question and text together. */
export interface Rerank {
  readonly model: string;
  /** Without a slash at its end. */
  readonly baseUrl: string;
  /** A key, or a reference to a secret. */
  readonly apiKey: string | null;
}

/** Texts that are sent; the others keep their place behind them. */
export const MAX_RERANKED = 50;
const MAX_TEXT_CHARS = 8_000;
const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 1024 * 1024;

/** @throws AppError invalid_query */
export function readRerank(given: unknown): Rerank {
  const { provider = 'compatible', model, base_url, api_key, ...rest } = isObject(given) ? given : { provider: null };
  const word = RERANK_PROVIDERS.find((name) => name === provider);
  if (word === undefined) throw wrong('rerank.provider', `must be one of ${RERANK_PROVIDERS.join(', ')}`);
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined)
    throw wrong(`rerank.${unknown}`, 'is not known; there are provider, model, base_url, api_key');
  if (typeof model !== 'string' || model === '' || model.length > 200)
    throw wrong('rerank.model', 'must be the name of a model');
  const url = base_url ?? URLS[word];
  if (typeof url !== 'string' || url.length > 2_000 || !/^https?:\/\//.test(url) || !URL.canParse(url))
    throw wrong('rerank.base_url', 'must be the address of the server, without /rerank');
  if (api_key !== undefined && api_key !== null && (typeof api_key !== 'string' || api_key.length > 10_000))
    throw wrong('rerank.api_key', 'must be a text such as {{ secret.NAME }}');
  return { model, baseUrl: url.replace(/\/+$/, ''), apiKey: api_key ?? null };
}

const wrong = (path: string, message: string): AppError =>
  new AppError('invalid_query', `'${path}' ${message}`, { details: [{ path, message }] });

/** Scores of texts, from 0 to 1, in their order; or a sentence that says why there are none. */
type Reranked = { readonly scores: readonly number[] } | { readonly problem: string };

/** Has texts compared with a question, in one request. Never rejects for what the server does. @throws AppError unknown_secret */
export async function rerank(
  { egress }: Providers,
  owner: EmbeddingOwner,
  { model, baseUrl, apiKey }: Rerank,
  question: string,
  texts: readonly string[],
): Promise<Reranked> {
  const key = apiKey === null ? null : await resolveSecret(apiKey, owner);
  const hide = (text: string): string => (key === null || key.length < 3 ? text : text.replaceAll(key, '***'));
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
    return scoresIn(body.toString('utf8'), documents.length);
  } catch (fault) {
    // Of ours only what the way out throws is left, and its words say what happened to the request.
    if (errorCode(fault) !== undefined) throw fault;
    return { problem: hide(`${model} cannot be asked: ${errorMessage(fault)}`) };
  }
}

/** Reads an answer of the form `{results: [{index, relevance_score}]}`. Pure. */
export function scoresIn(body: string, count: number): Reranked {
  const unreadable = { problem: 'the answer of the server cannot be read' };
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
    ? { problem: 'the server has not scored every text' }
    : { scores: scores as number[] };
}
