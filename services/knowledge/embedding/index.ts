import { backoffMs } from '../../../lib/backoff';
import { MAX_VECTOR_DIMENSION } from '../../../contracts/knowledge/params';
import type { Clock } from '../../../lib/clock';
import { errorCode, ERRORS, errorMessage } from '../../../lib/errors';
import { costOf, embed, type LlmAccess, type LlmError, type LlmHttp, LLM_PROVIDERS, openModel } from '../../../lib/llm';
import { resolveSecret } from '../../../mixins/secret-reference';
import type { Call } from '../../../contracts/catalogue';
import type { EmbeddingView } from '../../../contracts/knowledge/views';
import type { Providers } from '../providers';
import { requestBatches } from './batches';
import { EmbeddingError } from './error';

export { EmbeddingError } from './error';

/** Tenant whose secrets are resolved, and the call that resolves them. */
export interface EmbeddingOwner {
  readonly call: Call;
  readonly tenantId: string;
}

/** Concatenated vectors of the texts, `dimension` floats each. `costUsd`: null when the price is unknown. */
interface Embedded {
  readonly vectors: Float32Array;
  readonly dimension: number;
  readonly inputTokens: number;
  readonly costUsd: number | null;
}

/** `job`: retries when the provider is busy. `question`: a caller waits, so there is one attempt. */
type RequestKind = 'job' | 'question';

const MAX_ATTEMPTS: Readonly<Record<RequestKind, number>> = { job: 3, question: 1 };
const TIMEOUT_MS: Readonly<Record<RequestKind, number>> = { job: 120_000, question: 10_000 };
/** A longer pause ends this call; the job retries later. */
const MAX_PAUSE_MS = 20_000;
/** Backoff when the provider sends no `Retry-After`. */
const RETRY = { firstMs: 1_000, maxMs: MAX_PAUSE_MS };

/**
 * Embeds texts with the model of a knowledge base, in sequential requests of bounded size. If the base has no dimension yet,
 * the first vectors determine it; the caller stores it.
 * @throws only EmbeddingError
 */
export async function embedTexts(
  providers: Providers,
  owner: EmbeddingOwner,
  embedding: EmbeddingView,
  texts: readonly string[],
  { requestKind, signal }: { readonly requestKind: RequestKind; readonly signal?: AbortSignal },
): Promise<Embedded> {
  const model = await openEmbedding(providers, owner, embedding);
  let { dimension } = embedding;
  let vectors = new Float32Array(0);
  let inputTokens = 0;
  for (const { from, to } of requestBatches(texts)) {
    const answer = await withRetries(providers, model, texts.slice(from, to), requestKind, signal);
    dimension ??= answer.embeddings[0]?.length ?? 0;
    if (from === 0) vectors = new Float32Array(texts.length * Math.min(dimension, MAX_VECTOR_DIMENSION));
    answer.embeddings.forEach((vector, n) =>
      vectors.set(validVector(vector, dimension as number, embedding), (from + n) * (dimension as number)),
    );
    inputTokens += answer.inputTokens;
  }
  const tokens = { inputTokens, outputTokens: 0, cachedTokens: 0 };
  const costUsd = costOf(providers.prices, model.access, tokens, providers.app.clock.now());
  return { vectors, dimension: dimension ?? 0, inputTokens, costUsd };
}

interface OpenEmbedding {
  readonly access: LlmAccess;
  readonly http: LlmHttp;
}

async function openEmbedding(
  { app, egress, platformEgress }: Providers,
  owner: EmbeddingOwner,
  embedding: EmbeddingView,
): Promise<OpenEmbedding> {
  const provider = LLM_PROVIDERS.find((name) => name === embedding.provider);
  if (provider === undefined) throw new EmbeddingError('invalid_embedding', `unknown provider ${embedding.provider}`);
  const config = {
    provider,
    model: embedding.model,
    ...(embedding.base_url === null ? {} : { base_url: embedding.base_url }),
    ...(embedding.api_key === null ? {} : { api_key: await resolveApiKey(embedding.api_key, owner) }),
  };
  const opened = openModel(config, (name) => app.config.llm.platform[name]);
  if (opened.kind !== 'open') throw new EmbeddingError('invalid_embedding', opened.problem);
  return { access: opened.access, http: opened.ours ? platformEgress : egress };
}

async function resolveApiKey(reference: string, owner: EmbeddingOwner): Promise<string> {
  try {
    return await resolveSecret(reference, owner);
  } catch (fault) {
    const code = errorCode(fault);
    if (code === 'unknown_secret') throw new EmbeddingError(code, errorMessage(fault), { cause: fault });
    // A rejection by the secret store is final. Other failures, such as of the bus, are retryable.
    const retryable = code === undefined || code === 'internal' || ERRORS[code].retryable;
    throw new EmbeddingError('unavailable', `the API key cannot be read: ${errorMessage(fault)}`, {
      retryable,
      cause: fault,
    });
  }
}

async function withRetries(
  { app }: Providers,
  { access, http }: OpenEmbedding,
  texts: readonly string[],
  requestKind: RequestKind,
  signal: AbortSignal | undefined,
) {
  const { clock } = app;
  for (let attempt = 1; ; attempt++) {
    const stop = new AbortController();
    const cancel = clock.after(TIMEOUT_MS[requestKind], () => stop.abort());
    try {
      const ended = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
      return await embed(access, texts, { http, web: http, now: clock.now() }, ended);
    } catch (fault) {
      const error = toEmbeddingError(fault, stop.signal.aborted && signal?.aborted !== true);
      const pause = error.retryAfterMs ?? backoffMs(RETRY, attempt, Math.random());
      if (!error.retryable || attempt >= MAX_ATTEMPTS[requestKind] || pause > MAX_PAUSE_MS || signal?.aborted === true)
        throw error;
      await sleep(clock, pause, signal);
    } finally {
      cancel();
    }
  }
}

/** Resolves after the pause, or when the signal aborts. */
const sleep = (clock: Clock, pauseMs: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const cancel = clock.after(pauseMs, resolve);
    const end = (): void => {
      cancel();
      resolve();
    };
    signal?.addEventListener('abort', end, { once: true });
  });

function toEmbeddingError(fault: unknown, isTimeout: boolean): EmbeddingError {
  // `embed` rejects only with LlmError.
  const { code, message, retryable, retryAfterMs } = fault as LlmError;
  if (isTimeout)
    return new EmbeddingError('llm_timeout', 'the model did not answer in time', { retryable: true, cause: fault });
  return new EmbeddingError(code, message, {
    retryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    cause: fault,
  });
}

function validVector(vector: readonly number[], dimension: number, { model }: EmbeddingView): readonly number[] {
  if (vector.length !== dimension || dimension === 0) {
    const message = `${model} returned vectors of ${vector.length} dimensions; this base has ${dimension}`;
    throw new EmbeddingError('dimension_mismatch', message);
  }
  if (dimension > MAX_VECTOR_DIMENSION) {
    const message = `${model} returned vectors of ${dimension} dimensions; the maximum is ${MAX_VECTOR_DIMENSION}`;
    throw new EmbeddingError('dimension_mismatch', message);
  }
  // Vectors are stored as 32-bit floats, whose range is smaller than that of JSON numbers.
  if (!vector.every((value) => Number.isFinite(Math.fround(value))))
    throw new EmbeddingError('llm_answer', `${model} returned a value that is not a finite number`);
  return vector;
}
