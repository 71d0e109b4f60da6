import type { Clock } from '../../../lib/clock';
import { errorCode, ERRORS, errorMessage } from '../../../lib/errors';
import { costOf, embed, type LlmAccess, type LlmError, type LlmHttp, LLM_PROVIDERS, openModel } from '../../../lib/llm';
import { resolveSecret } from '../../../mixins/secret-reference';
import type { Call } from '../../catalogue';
import type { EmbeddingView } from '../contract';
import type { Providers } from '../providers';
import { batchesOf } from './batches';
import { EmbeddingError } from './error';

export { EmbeddingError } from './error';

/** Whose secrets count, and how to reach them. */
export interface EmbeddingOwner {
  readonly call: Call;
  readonly tenantId: string;
}

/** Vectors of texts, one after the other, `dimension` floats each. `costUsd`: null where no price is known. */
export interface Embedded {
  readonly vectors: Float32Array;
  readonly dimension: number;
  readonly inputTokens: number;
  readonly costUsd: number | null;
}

/** How hard to try. `job`: waits for a provider that is busy; `question`: somebody waits for the answer. */
export type Patience = 'job' | 'question';

const TRIES: Readonly<Record<Patience, number>> = { job: 3, question: 1 };
const TIMEOUT_MS: Readonly<Record<Patience, number>> = { job: 120_000, question: 10_000 };
/** Numbers of a vector. */
export const MOST_DIMENSION = 16_384;
/** Between tries where the provider does not say how long; it doubles. */
const PAUSE_MS = 1_000;
/** Whoever is to be left alone for longer is asked again by the job's own plan. */
const LONGEST_PAUSE_MS = 20_000;

/**
 * Has texts made into vectors by the model that a base names, in requests of a bounded size, one after the other. The
 * first vectors pin the dimension where the base has none yet: it is in the answer, to be stored by the caller.
 * @throws EmbeddingError and nothing else
 */
export async function embedTexts(
  providers: Providers,
  owner: EmbeddingOwner,
  embedding: EmbeddingView,
  texts: readonly string[],
  { patience, signal }: { readonly patience: Patience; readonly signal?: AbortSignal },
): Promise<Embedded> {
  const model = await openEmbedding(providers, owner, embedding);
  let { dimension } = embedding;
  let vectors = new Float32Array(0);
  let inputTokens = 0;
  for (const { from, to } of batchesOf(texts)) {
    const answer = await patiently(providers, model, texts.slice(from, to), patience, signal);
    dimension ??= answer.embeddings[0]?.length ?? 0;
    if (from === 0) vectors = new Float32Array(texts.length * Math.min(dimension, MOST_DIMENSION));
    answer.embeddings.forEach((vector, n) =>
      vectors.set(checked(vector, dimension as number, embedding), (from + n) * (dimension as number)),
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
  { app, egress, toOurs }: Providers,
  owner: EmbeddingOwner,
  embedding: EmbeddingView,
): Promise<OpenEmbedding> {
  const provider = LLM_PROVIDERS.find((word) => word === embedding.provider);
  if (provider === undefined)
    throw new EmbeddingError('invalid_embedding', `there is no provider ${embedding.provider}`);
  const asked = {
    provider,
    model: embedding.model,
    ...(embedding.base_url === null ? {} : { base_url: embedding.base_url }),
    ...(embedding.api_key === null ? {} : { api_key: await keyOf(embedding.api_key, owner) }),
  };
  const door = openModel(asked, (name) => app.config.llm.platform[name]);
  if (door.kind !== 'open') throw new EmbeddingError('invalid_embedding', door.problem);
  return { access: door.access, http: door.ours ? toOurs : egress };
}

async function keyOf(reference: string, owner: EmbeddingOwner): Promise<string> {
  try {
    return await resolveSecret(reference, owner);
  } catch (fault) {
    const code = errorCode(fault);
    if (code === 'unknown_secret') throw new EmbeddingError(code, errorMessage(fault), { cause: fault });
    // What the vault itself refuses stays refused; everything on the way to it may pass.
    const retryable = code === undefined || code === 'internal' || ERRORS[code].retryable;
    throw new EmbeddingError('unavailable', `the key cannot be read: ${errorMessage(fault)}`, {
      retryable,
      cause: fault,
    });
  }
}

async function patiently(
  { app }: Providers,
  { access, http }: OpenEmbedding,
  texts: readonly string[],
  patience: Patience,
  signal: AbortSignal | undefined,
) {
  const { clock } = app;
  for (let tries = 1; ; tries++) {
    const stop = new AbortController();
    const cancel = clock.after(TIMEOUT_MS[patience], () => stop.abort());
    try {
      const ended = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
      return await embed(access, texts, { http, web: http, now: clock.now() }, ended);
    } catch (fault) {
      const error = toEmbeddingError(fault, stop.signal.aborted && signal?.aborted !== true);
      const pause = error.retryAfterMs ?? PAUSE_MS * 2 ** (tries - 1);
      if (!error.retryable || tries >= TRIES[patience] || pause > LONGEST_PAUSE_MS || signal?.aborted === true)
        throw error;
      await pauseOf(clock, pause, signal);
    } finally {
      cancel();
    }
  }
}

/** Ends early at an abort. */
const pauseOf = (clock: Clock, pauseMs: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const cancel = clock.after(pauseMs, resolve);
    const end = (): void => {
      cancel();
      resolve();
    };
    signal?.addEventListener('abort', end, { once: true });
  });

function toEmbeddingError(fault: unknown, late: boolean): EmbeddingError {
  // `embed` rejects with nothing else.
  const { code, message, retryable, retryAfterMs } = fault as LlmError;
  if (late)
    return new EmbeddingError('llm_timeout', 'the model has not answered in time', { retryable: true, cause: fault });
  return new EmbeddingError(code, message, {
    retryable,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    cause: fault,
  });
}

function checked(vector: readonly number[], dimension: number, { model }: EmbeddingView): readonly number[] {
  if (vector.length !== dimension || dimension === 0) {
    const message = `${model} answered with vectors of ${vector.length} numbers; this base keeps ${dimension}`;
    throw new EmbeddingError('dimension_mismatch', message);
  }
  if (dimension > MOST_DIMENSION) {
    const message = `${model} answered with vectors of ${dimension} numbers; at most ${MOST_DIMENSION} can be kept`;
    throw new EmbeddingError('dimension_mismatch', message);
  }
  // As they are kept: in floats of 32 bits, which hold less than JSON says.
  if (!vector.every((value) => Number.isFinite(Math.fround(value))))
    throw new EmbeddingError('llm_answer', `${model} answered with what is no number`);
  return vector;
}
