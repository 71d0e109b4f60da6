import { type EgressRule, ruleOf } from '../egress/rules';
import { LLM_PROVIDERS, type LlmProvider } from './types';

/** The installation's access to a provider; null values have defaults, or come from the step. */
export interface PlatformModel {
  readonly apiKey: string | null;
  readonly baseUrl: string | null;
  readonly model: string | null;
}

/** Settings of models from the environment. */
export interface LlmConfig {
  /** Null for providers without access. */
  readonly platform: Readonly<Record<LlmProvider, PlatformModel | null>>;
  readonly pricesFile: string | null;
}

interface Reader {
  text(name: string): string | null;
  url(name: string, protocols: readonly string[]): string | null;
}

/** Egress rules that allow requests to servers set by the operator, even on private networks. */
export const platformRules = ({ platform }: LlmConfig): EgressRule[] =>
  Object.values(platform).flatMap((ours) => (ours?.baseUrl ? [ruleOf(ours.baseUrl)] : []));

/** Variables by provider. */
interface RawConfig {
  readonly prefix: string;
  readonly apiKey: string | null;
  readonly baseUrl: string | null;
  readonly model: string | null;
}

/** Reads LLM_<PROVIDER>_{API_KEY,BASE_URL,MODEL}. Adds faults to `faults`, without values. */
export function readLlm(read: Reader, faults: string[]): LlmConfig {
  const http = ['http:', 'https:'];
  // Full names, so that a search finds them.
  const given: Readonly<Record<LlmProvider, RawConfig>> = {
    openai: {
      prefix: 'LLM_OPENAI',
      apiKey: read.text('LLM_OPENAI_API_KEY'),
      baseUrl: read.url('LLM_OPENAI_BASE_URL', http),
      model: read.text('LLM_OPENAI_MODEL'),
    },
    anthropic: {
      prefix: 'LLM_ANTHROPIC',
      apiKey: read.text('LLM_ANTHROPIC_API_KEY'),
      baseUrl: read.url('LLM_ANTHROPIC_BASE_URL', http),
      model: read.text('LLM_ANTHROPIC_MODEL'),
    },
    google: {
      prefix: 'LLM_GOOGLE',
      apiKey: read.text('LLM_GOOGLE_API_KEY'),
      baseUrl: read.url('LLM_GOOGLE_BASE_URL', http),
      model: read.text('LLM_GOOGLE_MODEL'),
    },
    'openai-compatible': {
      prefix: 'LLM_OPENAI_COMPATIBLE',
      apiKey: read.text('LLM_OPENAI_COMPATIBLE_API_KEY'),
      baseUrl: read.url('LLM_OPENAI_COMPATIBLE_BASE_URL', http),
      model: read.text('LLM_OPENAI_COMPATIBLE_MODEL'),
    },
  };
  const entries = LLM_PROVIDERS.map((provider) => [provider, platformOf(provider, given[provider], faults)] as const);
  return {
    platform: Object.fromEntries(entries) as LlmConfig['platform'],
    pricesFile: read.text('LLM_PRICES_FILE'),
  };
}

function platformOf(
  provider: LlmProvider,
  { prefix, apiKey, baseUrl, model }: RawConfig,
  faults: string[],
): PlatformModel | null {
  if (baseUrl !== null && !URL.canParse(baseUrl)) {
    // Not repeated, as it may hold a password.
    faults.push(`${prefix}_BASE_URL is not a URL; write it as https://host/v1`);
    return null;
  }
  if (apiKey === null && baseUrl === null) {
    if (model !== null) faults.push(`${prefix}_MODEL is set, but ${prefix}_API_KEY is not; set it too`);
    return null;
  }
  if (provider === 'openai-compatible' && baseUrl === null) {
    faults.push(`${prefix}_API_KEY is set, but ${prefix}_BASE_URL is not; set it to the server's address, with /v1`);
  }
  return { apiKey, baseUrl: baseUrl?.replace(/\/+$/, '') ?? null, model };
}
