import type { EmbeddingModelV3, LanguageModelV3, SharedV3ProviderOptions } from '@ai-sdk/provider';
import { LlmError } from './error';
import type { LlmAccess, LlmProvider } from './types';

/** A model of a provider's library. */
interface Library {
  language(access: LlmAccess, fetch: typeof globalThis.fetch): LanguageModelV3;
  /** Null for providers without embeddings. */
  embedding: ((access: LlmAccess, fetch: typeof globalThis.fetch) => EmbeddingModelV3) | null;
}

/** Key and address are always set: otherwise the libraries would read them from the environment. */
const settings = ({ apiKey, baseUrl }: LlmAccess, fetch: typeof globalThis.fetch) => ({
  apiKey: apiKey ?? 'none',
  baseURL: baseUrl,
  fetch,
});

// Loaded on first use: together they take 0.3 s, and many processes never use a model.
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
    // Chat completions, as other servers support them too; the provider stores nothing between turns.
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

/** User schemas need not be in strict form, in which every member is required. */
export const PROVIDER_OPTIONS: SharedV3ProviderOptions = {
  openai: { strictJsonSchema: false },
  openaiCompatible: { strictJsonSchema: false },
};

/** The language model. */
export const languageModel = (access: LlmAccess, fetch: typeof globalThis.fetch): LanguageModelV3 =>
  LIBRARIES[access.provider].language(access, fetch);

/** The embedding model. @throws LlmError llm_unsupported */
export function embeddingModel(access: LlmAccess, fetch: typeof globalThis.fetch): EmbeddingModelV3 {
  const { embedding } = LIBRARIES[access.provider];
  if (embedding === null) throw new LlmError('llm_unsupported', `${access.provider} has no embeddings`);
  return embedding(access, fetch);
}
