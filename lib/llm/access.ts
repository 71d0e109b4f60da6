import type { PlatformModel } from './config';
import { LLM_PROVIDERS, type LlmAccess, type LlmProvider } from './types';

/** Which model a step, or a request, asks for; what is left out is the installation's to say. */
export interface LlmAsked {
  readonly provider?: LlmProvider;
  readonly model?: string;
  readonly api_key?: string;
  readonly base_url?: string;
}

/** The way to a model, or why there is none. `unconfigured`: an operator, or a key, could open it. */
export type LlmDoor<A = LlmAccess> =
  /** `ours`: it is the installation's own access. */
  | { readonly kind: 'open'; readonly access: A; readonly ours: boolean }
  | { readonly kind: 'unconfigured'; readonly problem: string }
  | { readonly kind: 'invalid'; readonly problem: string };

/** Where a provider is without a word of ours. */
const PUBLIC_URLS: Readonly<Record<LlmProvider, string | null>> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com/v1',
  google: 'https://generativelanguage.googleapis.com/v1beta',
  'openai-compatible': null,
};

/**
 * The way to the model that is asked for. The installation's key and address go together: who names a key or an
 * address of his own gets neither of them, so the key can be sent nowhere else.
 */
export function openModel(asked: LlmAsked, platform: (provider: LlmProvider) => PlatformModel | null): LlmDoor {
  const door = openProvider(asked, platform);
  if (door.kind !== 'open') return door;
  const { model, ...rest } = door.access;
  return model === null
    ? { kind: 'invalid', problem: `"model" is missing, and the installation names none for ${rest.provider}` }
    : { ...door, access: { ...rest, model } };
}

/** The same where no model is needed. */
export function openProvider(
  asked: LlmAsked,
  platform: (provider: LlmProvider) => PlatformModel | null,
): LlmDoor<Omit<LlmAccess, 'model'> & { readonly model: string | null }> {
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
    if (baseUrl === null) return { kind: 'invalid', problem: `"base_url" is missing: ${provider} is any server` };
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
