import type { PlatformModel } from './config';
import { LLM_PROVIDERS, type LlmAccess, type LlmProvider } from './types';

/** The requested model; the installation's settings fill in what is missing. */
export interface LlmRequestedModel {
  readonly provider?: LlmProvider;
  readonly model?: string;
  readonly api_key?: string;
  readonly base_url?: string;
}

/** Access to a model, or why there is none. `unconfigured`: the operator or an API key could provide it. */
export type LlmModelAccess<A = LlmAccess> =
  /** `ours`: the installation's own access. */
  | { readonly kind: 'open'; readonly access: A; readonly ours: boolean }
  | { readonly kind: 'unconfigured'; readonly problem: string }
  | { readonly kind: 'invalid'; readonly problem: string };

/** Default addresses of the providers. */
const PUBLIC_URLS: Readonly<Record<LlmProvider, string | null>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  'openai-compatible': null,
};

/**
 * Resolves access to the requested model. The installation's key and address are used together or not at all: a request
 * with its own key or address gets neither, so the installation's key is never sent elsewhere.
 */
export function openModel(
  asked: LlmRequestedModel,
  platform: (provider: LlmProvider) => PlatformModel | null,
): LlmModelAccess {
  const access = openProvider(asked, platform);
  if (access.kind !== 'open') return access;
  const { model, ...rest } = access.access;
  return model === null
    ? { kind: 'invalid', problem: `"model" is missing, and the installation has no default model for ${rest.provider}` }
    : { ...access, access: { ...rest, model } };
}

/** The same without a model. */
export function openProvider(
  asked: LlmRequestedModel,
  platform: (provider: LlmProvider) => PlatformModel | null,
): LlmModelAccess<Omit<LlmAccess, 'model'> & { readonly model: string | null }> {
  const own = asked.api_key !== undefined || asked.base_url !== undefined;
  const provider = asked.provider ?? LLM_PROVIDERS.find((name) => !own && platform(name) !== null);
  if (provider === undefined) {
    return own
      ? { kind: 'invalid', problem: '"provider" is missing' }
      : { kind: 'unconfigured', problem: `no model provider is configured; ${REMEDY}` };
  }
  const model = asked.model ?? null;
  if (own) {
    const baseUrl = asked.base_url?.trim().replace(/\/+$/, '') || PUBLIC_URLS[provider];
    if (baseUrl === null)
      return { kind: 'invalid', problem: `"base_url" is missing: ${provider} has no default address` };
    return { kind: 'open', access: { provider, model, apiKey: asked.api_key?.trim() || null, baseUrl }, ours: false };
  }
  const ours = platform(provider);
  const baseUrl = ours?.baseUrl ?? PUBLIC_URLS[provider];
  if (ours === null || baseUrl === null) {
    return { kind: 'unconfigured', problem: `the installation has no access to ${provider}; ${REMEDY}` };
  }
  return { kind: 'open', access: { provider, model: model ?? ours.model, apiKey: ours.apiKey, baseUrl }, ours: true };
}

const REMEDY = 'give an "api_key", or ask the operator to set LLM_<PROVIDER>_API_KEY';
