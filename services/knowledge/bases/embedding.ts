import { type LlmConfig, type LlmProvider, openModel } from '../../../lib/llm';
import { isPlainUrl } from '../../../lib/plain-url';
import type { EmbeddingView, KnowledgeBaseFields } from '../../../contracts/knowledge/views';

/** Providers with an embedding API. */
const EMBEDDING_PROVIDERS = ['openai', 'google', 'openai-compatible'] as const satisfies LlmProvider[];

/** A valid embedding configuration, or the field that is invalid and why. */
type EmbeddingParseResult =
  | { readonly kind: 'usable'; readonly embedding: EmbeddingView; readonly secret: string | null }
  | { readonly kind: 'invalid'; readonly path: string; readonly message: string };

const SECRET_REFERENCE = /^\s*\{\{\s*secret\.([A-Za-z_]\w{0,127})\s*\}\}\s*$/;

/** Validates the embedding configuration of a base without a request to the provider. Pure. */
export function parseEmbedding(
  given: NonNullable<KnowledgeBaseFields['embedding']>,
  platform: LlmConfig['platform'],
): EmbeddingParseResult {
  const provider = EMBEDDING_PROVIDERS.find((name) => name === given.provider);
  if (provider === undefined)
    return invalid('embedding.provider', `has no embedding API; use one of ${EMBEDDING_PROVIDERS.join(', ')}`);
  const { model, base_url, api_key, dimension = null } = given;
  const secret = api_key === undefined ? null : (SECRET_REFERENCE.exec(api_key)?.[1] ?? null);
  if (api_key !== undefined && secret === null)
    return invalid(
      'embedding.api_key',
      'must be a reference to a secret, not the key itself: store the key with POST /api/v1/secrets, and write {{ secret.NAME }}',
    );
  if (base_url !== undefined && !isPlainUrl(base_url))
    return invalid('embedding.base_url', 'must be an http(s) address without user, query or fragment');
  const opened = openModel(
    {
      provider,
      model,
      ...(base_url === undefined ? {} : { base_url }),
      ...(secret === null ? {} : { api_key: secret }),
    },
    (name) => platform[name],
  );
  if (opened.kind !== 'open') return invalid('embedding', `cannot be used: ${opened.problem}`);
  return {
    kind: 'usable',
    embedding: { provider, model, base_url: base_url ?? null, api_key: api_key?.trim() ?? null, dimension },
    secret,
  };
}

/** True if vectors of both models are comparable. API keys are ignored. Pure. */
export function isSameModel(a: EmbeddingView | null, b: EmbeddingView | null): boolean {
  if (a === null || b === null) return a === b;
  const sameLength = a.dimension === null || b.dimension === null || a.dimension === b.dimension;
  return a.provider === b.provider && a.model === b.model && a.base_url === b.base_url && sameLength;
}

const invalid = (path: string, message: string): EmbeddingParseResult => ({ kind: 'invalid', path, message });
