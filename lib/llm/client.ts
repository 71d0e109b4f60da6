import {
  APICallError,
  type LanguageModelV3CallOptions,
  type LanguageModelV3FinishReason,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import { errorMessage } from '../errors';
import { egressError, egressFault, hiding, LlmError, refusalError } from './error';
import { providerFetch } from './fetch';
import { gather } from './gather';
import { withImages } from './images';
import { toAnswerParts, toPrompt } from './prompt';
import { embeddingModel, languageModel, PROVIDER_OPTIONS } from './providers';
import type { LlmAccess, LlmAnswer, LlmEmbeddings, LlmFinish, LlmHttp, LlmRequest } from './types';

/** What a question to a provider needs from outside. */
export interface LlmWorld {
  /** The way to the provider. */
  readonly http: LlmHttp;
  /** The way to whatever a question refers to, such as images. */
  readonly web: LlmHttp;
  /** Epoch milliseconds, to read a Retry-After that is a date. */
  readonly now: number;
}

/**
 * Asks a model once; who wants more tries makes them. With `onText` the answer is streamed, and its text told as it
 * comes; the answer is the same either way.
 * @throws LlmError and nothing else
 */
export async function complete(
  access: LlmAccess,
  request: LlmRequest,
  world: LlmWorld,
  onText?: (text: string) => void,
): Promise<LlmAnswer> {
  try {
    const messages = await withImages(request.messages, access.provider, world.web, request.signal);
    const model = languageModel(access, providerFetch(world.http, access.apiKey, onText !== undefined));
    const options = callOptions({ ...request, messages });
    const answer =
      onText === undefined
        ? await model.doGenerate(options)
        : await gather((await model.doStream(options)).stream, onText);
    const { inputTokens, outputTokens } = answer.usage;
    const parts = toAnswerParts(answer.content);
    const finish = FINISHES[answer.finishReason.unified];
    if (parts.length === 0 && (finish === 'error' || finish === 'other'))
      throw new LlmError('llm_answer', `${access.provider} gave no answer`, { retryable: true });
    return {
      parts,
      finish,
      tokens: {
        inputTokens: inputTokens.total ?? 0,
        outputTokens: outputTokens.total ?? 0,
        cachedTokens: inputTokens.cacheRead ?? 0,
      },
    };
  } catch (fault) {
    throw toLlmError(fault, access, world.now);
  }
}

const callOptions = (request: LlmRequest): LanguageModelV3CallOptions => ({
  prompt: toPrompt(request.messages),
  providerOptions: PROVIDER_OPTIONS,
  ...(request.maxTokens === undefined ? {} : { maxOutputTokens: request.maxTokens }),
  ...(request.temperature === undefined ? {} : { temperature: request.temperature }),
  ...(request.stop === undefined ? {} : { stopSequences: [...request.stop] }),
  ...(request.schema === undefined ? {} : { responseFormat: jsonFormat(request.schema) }),
  ...(request.signal === undefined ? {} : { abortSignal: request.signal }),
  ...(request.tools === undefined || request.tools.length === 0
    ? {}
    : {
        tools: request.tools.map(({ name, description, parameters }) => ({
          type: 'function' as const,
          name,
          description,
          inputSchema: parameters,
        })),
        toolChoice: { type: request.toolChoice ?? ('auto' as const) },
      }),
});

/** Vectors of texts, in as many requests as the provider's bound makes it. @throws LlmError and nothing else */
export async function embed(
  access: LlmAccess,
  texts: readonly string[],
  world: LlmWorld,
  signal?: AbortSignal,
): Promise<LlmEmbeddings> {
  try {
    const model = embeddingModel(access, providerFetch(world.http, access.apiKey));
    const most = (await model.maxEmbeddingsPerCall) ?? texts.length;
    const embeddings: number[][] = [];
    let inputTokens = 0;
    for (let from = 0; from < texts.length; from += most) {
      const values = texts.slice(from, from + most);
      const answer = await model.doEmbed({ values, ...(signal === undefined ? {} : { abortSignal: signal }) });
      if (answer.embeddings.length !== values.length)
        throw new LlmError('llm_answer', `${access.provider} answered with too few vectors`, { retryable: true });
      embeddings.push(...answer.embeddings);
      inputTokens += answer.usage?.tokens ?? 0;
    }
    return { embeddings, inputTokens };
  } catch (fault) {
    throw toLlmError(fault, access, world.now);
  }
}

const jsonFormat = (schema: NonNullable<LlmRequest['schema']>) =>
  schema === 'any' ? { type: 'json' as const } : { type: 'json' as const, schema };

const FINISHES: Readonly<Record<LanguageModelV3FinishReason['unified'], LlmFinish>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
  error: 'error',
  other: 'other',
};

/** Any fault of a provider's library, classed. The libraries' own messages and retry marks are not relied on. */
export function toLlmError(fault: unknown, { provider, apiKey }: LlmAccess, now: number): LlmError {
  const hide = hiding(apiKey);
  if (fault instanceof LlmError) return fault;
  const egress = egressFault(fault);
  if (egress !== null) return egressError(egress, provider, hide);
  if (UnsupportedFunctionalityError.isInstance(fault))
    return new LlmError('llm_unsupported', hide(`${provider}: ${fault.message}`), { cause: fault });
  if (APICallError.isInstance(fault) && fault.statusCode !== undefined && fault.statusCode >= 300) {
    const refusal = {
      status: fault.statusCode,
      retryAfter: fault.responseHeaders?.['retry-after'] ?? '',
      body: fault.responseBody ?? '',
    };
    return refusalError(refusal, provider, hide, now);
  }
  // What is left is an answer that the library could not read. Another one may be whole.
  const message = hide(`The answer of ${provider} cannot be read: ${errorMessage(fault)}`).slice(0, 500);
  return new LlmError('llm_answer', message, { retryable: true, cause: fault });
}
