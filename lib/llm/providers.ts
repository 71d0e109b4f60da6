import type { EmbeddingModelV3, LanguageModelV3, SharedV3ProviderOptions } from '@ai-sdk/provider';
import { LlmError } from './error';
import type { LlmAccess, LlmProvider } from './types';

/** What a provider's library makes for one model. */
interface Library {
  language(access: LlmAccess, fetch: typeof globalThis.fetch): LanguageModelV3;
  /** Null for providers that have no embeddings. */
  embedding: ((access: LlmAccess, fetch: typeof globalThis.fetch) => EmbeddingModelV3) | null;
}

/** Key and address are always given: without them the libraries would look into the environment of the process. */
const settings = ({ apiKey, baseUrl }: LlmAccess, fetch: typeof globalThis.fetch) => ({
  apiKey: apiKey ?? 'none',
  baseURL: baseUrl,
  fetch,
});

// Loaded when first wanted: together they take a third of a second, and many processes never ask a model.
const openai = (access: LlmAccess, fetch: typeof globalThis.fetch) =>
  (require('@ai-sdk/openai') as typeof import('@ai-sdk/openai')).createOpenAI(settings(access, fetch));
const anthropic = (access: LlmAccess, fetch: typeof globalThis.fetch) =>
  (require('@ai-sdk/anthropic') as typeof import('@ai-sdk/anthropic')).createAnthropic(settings(access, fetch));
const google = (access: LlmAccess, fetch: typeof globalThis.fetch) =>
  (require('@ai-sdk/google') as typeof import('@ai-sdk/google')).createGoogleGenerativeAI(settings(access, fetch));
const compatible = (access: LlmAccess, fetch: typeof globalThis.fetch) =>
  (require('@ai-sdk/openai-compatible') as typeof import('@ai-sdk/openai-compatible')).createOpenAICompatible({
    ...settings(access, fetch),
    name: 'openai-compatible',
    supportsStructuredOutputs: true,
    includeUsage: true,
  });

const LIBRARIES: Readonly<Record<LlmProvider, Library>> = {
  openai: {
    // Chat completions, as others speak them too: nothing is kept at the provider between turns.
    language: (access, fetch) => openai(access, fetch).chat(access.model),
    embedding: (access, fetch) => openai(access, fetch).embedding(access.model),
  },
  anthropic: {
    language: (access, fetch) => anthropic(access, fetch).languageModel(access.model),
    embedding: null,
  },
  google: {
    language: (access, fetch) => google(access, fetch).languageModel(access.model),
    embedding: (access, fetch) => google(access, fetch).embeddingModel(access.model),
  },
  'openai-compatible': {
    language: (access, fetch) => compatible(access, fetch).chatModel(access.model),
    embedding: (access, fetch) => compatible(access, fetch).embeddingModel(access.model),
  },
};

/** Schemas of users need not be of the strict form, in which every member is required. */
export const PROVIDER_OPTIONS: SharedV3ProviderOptions = {
  openai: { strictJsonSchema: false },
  openaiCompatible: { strictJsonSchema: false },
};

/** The model that answers. */
export const languageModel = (access: LlmAccess, fetch: typeof globalThis.fetch): LanguageModelV3 =>
  LIBRARIES[access.provider].language(access, fetch);

/** The model that makes vectors. @throws LlmError llm_unsupported */
export function embeddingModel(access: LlmAccess, fetch: typeof globalThis.fetch): EmbeddingModelV3 {
  const { embedding } = LIBRARIES[access.provider];
  if (embedding === null) throw new LlmError('llm_unsupported', `${access.provider} has no embeddings`);
  return embedding(access, fetch);
}
