import { type LlmConfig, type LlmProvider, openModel } from '../../../lib/llm';
import { isPlainUrl } from '../../../lib/plain-url';
import type { EmbeddingView, KnowledgeBaseFields } from '../../../contracts/knowledge/views';

/** Providers that make vectors. */
const EMBEDDING_PROVIDERS = ['openai', 'google', 'openai-compatible'] as const satisfies LlmProvider[];

/** A model that a base can have, or what is wrong with the words for it, by field. */
type ReadEmbedding =
  | { readonly kind: 'usable'; readonly embedding: EmbeddingView; readonly secret: string | null }
  | { readonly kind: 'fault'; readonly path: string; readonly message: string };

const REFERENCE = /^\s*\{\{\s*secret\.([A-Za-z_]\w{0,127})\s*\}\}\s*$/;

/** The model that is asked for, unless no request could ever be sent to it. The provider itself is not asked. Pure. */
export function readEmbedding(
  asked: NonNullable<KnowledgeBaseFields['embedding']>,
  platform: LlmConfig['platform'],
): ReadEmbedding {
  const provider = EMBEDDING_PROVIDERS.find((word) => word === asked.provider);
  if (provider === undefined)
    return fault('embedding.provider', `makes no vectors; use one of ${EMBEDDING_PROVIDERS.join(', ')}`);
  const { model, base_url, api_key, dimension = null } = asked;
  const secret = api_key === undefined ? null : (REFERENCE.exec(api_key)?.[1] ?? null);
  if (api_key !== undefined && secret === null)
    return fault(
      'embedding.api_key',
      'must be a reference to a secret, not the key itself: store the key with POST /api/v1/secrets, and write {{ secret.NAME }}',
    );
  if (base_url !== undefined && !isPlainUrl(base_url))
    return fault('embedding.base_url', 'must be an http(s) address without user, query or fragment');
  const opened = openModel(
    {
      provider,
      model,
      ...(base_url === undefined ? {} : { base_url }),
      ...(secret === null ? {} : { api_key: secret }),
    },
    (name) => platform[name],
  );
  if (opened.kind !== 'open') return fault('embedding', `cannot be used: ${opened.problem}`);
  return {
    kind: 'usable',
    embedding: { provider, model, base_url: base_url ?? null, api_key: api_key?.trim() ?? null, dimension },
    secret,
  };
}

/** Whether vectors of the one can be compared with those of the other. A key may be another one. Pure. */
export function isSameModel(a: EmbeddingView | null, b: EmbeddingView | null): boolean {
  if (a === null || b === null) return a === b;
  const sameLength = a.dimension === null || b.dimension === null || a.dimension === b.dimension;
  return a.provider === b.provider && a.model === b.model && a.base_url === b.base_url && sameLength;
}

const fault = (path: string, message: string): ReadEmbedding => ({ kind: 'fault', path, message });
