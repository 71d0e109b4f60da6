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
import { toAnswerParts, toPrompt } from './prompt';
import { embeddingModel, languageModel, PROVIDER_OPTIONS } from './providers';
import type {
  LlmAccess,
  LlmAnswer,
  LlmEmbeddings,
  LlmFinish,
  LlmHttp,
  LlmRequest,
  LlmMessage,
  LlmPart,
  LlmProvider,
} from './types';

const MAX_IMAGE_BYTES = 10 * 1024 * 1024;

/** Providers that do not fetch images themselves. */
const FETCHED_FOR: ReadonlySet<LlmProvider> = new Set(['google']);

/** Replaces image URLs by their content, where the provider needs it. @throws LlmError, EgressError */
async function withImages(
  messages: readonly LlmMessage[],
  provider: LlmProvider,
  http: LlmHttp,
  signal?: AbortSignal,
): Promise<readonly LlmMessage[]> {
  if (!FETCHED_FOR.has(provider)) return messages;
  return Promise.all(
    messages.map(async (message) =>
      message.role === 'user'
        ? { ...message, parts: await Promise.all(message.parts.map((part) => withImage(part, http, signal))) }
        : message,
    ),
  );
}

async function withImage(part: LlmPart, http: LlmHttp, signal?: AbortSignal): Promise<LlmPart> {
  if (part.kind !== 'image' || part.url === undefined) return part;
  const { status, headers, body } = await http.request({
    method: 'GET',
    url: part.url,
    maxBytes: MAX_IMAGE_BYTES,
    ...(signal === undefined ? {} : { signal }),
  });
  const [mediaType = ''] = String(headers['content-type'] ?? '').split(';', 1);
  if (status !== 200 || !mediaType.startsWith('image/')) {
    const { host } = new URL(part.url);
    throw new LlmError(
      'llm_refused',
      `An image at ${host} cannot be fetched: status ${status}, ${mediaType || 'no type'}`,
    );
  }
  return { kind: 'image', base64: body.toString('base64'), mediaType };
}

/** Dependencies of requests to providers. */
export interface LlmContext {
  /** HTTP client for the provider. */
  readonly http: LlmHttp;
  /** HTTP client for referenced content, such as images. */
  readonly web: LlmHttp;
  /** Epoch milliseconds, for a Retry-After with a date. */
  readonly now: number;
}

/**
 * Sends one request to a model, without retries. With `onText` the response is streamed and its text reported in parts;
 * the result is the same.
 * @throws LlmError only
 */
export async function complete(
  access: LlmAccess,
  request: LlmRequest,
  world: LlmContext,
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
      throw new LlmError('llm_answer', `${access.provider} returned no answer`, { retryable: true });
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

/** Embeds texts, in as many requests as the provider's limit requires. @throws LlmError only */
export async function embed(
  access: LlmAccess,
  texts: readonly string[],
  world: LlmContext,
  signal?: AbortSignal,
): Promise<LlmEmbeddings> {
  try {
    const model = embeddingModel(access, providerFetch(world.http, access.apiKey));
    const max = (await model.maxEmbeddingsPerCall) ?? texts.length;
    const embeddings: number[][] = [];
    let inputTokens = 0;
    for (let from = 0; from < texts.length; from += max) {
      const values = texts.slice(from, from + max);
      const answer = await model.doEmbed({ values, ...(signal === undefined ? {} : { abortSignal: signal }) });
      if (answer.embeddings.length !== values.length)
        throw new LlmError('llm_answer', `${access.provider} returned too few vectors`, { retryable: true });
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

/** Converts faults of a provider's library, without relying on their messages or retry flags. */
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
  // The remaining case: a response that the library could not parse. A retry may succeed.
  const message = hide(`The answer of ${provider} cannot be read: ${errorMessage(fault)}`).slice(0, 500);
  return new LlmError('llm_answer', message, { retryable: true, cause: fault });
}
