import { readConfig } from '../../../lib/config';
import {
  type LlmRequestedModel,
  type LlmProvider,
  openModel,
  type PlatformModel,
  platformRules,
} from '../../../lib/llm';

const OURS: Partial<Record<LlmProvider, PlatformModel>> = {
  anthropic: { apiKey: 'our-key', baseUrl: null, model: 'our-model' },
  'openai-compatible': { apiKey: null, baseUrl: 'http://models.corp/v1', model: null },
};
const platform = (provider: LlmProvider): PlatformModel | null => OURS[provider] ?? null;
const open = (asked: LlmRequestedModel) => openModel(asked, platform);

describe('the way to a model', () => {
  test.each<[string, LlmRequestedModel, object]>([
    [
      'nothing: the first that the installation has',
      {},
      { provider: 'anthropic', model: 'our-model', apiKey: 'our-key', baseUrl: 'https://api.anthropic.com/v1' },
    ],
    ['a model', { model: 'other' }, { provider: 'anthropic', model: 'other', apiKey: 'our-key' }],
    [
      'a provider of the installation',
      { provider: 'openai-compatible', model: 'm' },
      { apiKey: null, baseUrl: 'http://models.corp/v1' },
    ],
    [
      'a key',
      { provider: 'openai', model: 'm', api_key: ' k ' },
      { apiKey: 'k', baseUrl: 'https://api.openai.com/v1' },
    ],
    [
      'a key and an address',
      { provider: 'google', model: 'm', api_key: 'k', base_url: 'https://proxy.example/v1/ ' },
      { apiKey: 'k', baseUrl: 'https://proxy.example/v1' },
    ],
  ])('by %s', (_title, asked, access) => {
    expect(open(asked)).toMatchObject({ kind: 'open', access });
  });

  test.each<LlmRequestedModel>([
    { provider: 'anthropic', model: 'm', base_url: 'https://attacker.example' },
    { provider: 'anthropic', model: 'm', base_url: 'https://api.anthropic.com/v1' },
    { provider: 'openai-compatible', model: 'm', base_url: 'https://attacker.example' },
  ])('the key of the installation is not sent to an address of a tenant: %j', (asked) => {
    expect(open(asked)).toMatchObject({ kind: 'open', access: { apiKey: null } });
  });

  test("a key of one's own does not go to the installation's address", () => {
    expect(open({ provider: 'openai-compatible', model: 'm', api_key: 'mine' })).toMatchObject({ kind: 'invalid' });
  });

  test.each<[LlmRequestedModel, string, string]>([
    [{ provider: 'openai', model: 'm' }, 'unconfigured', 'no access to openai'],
    [{ provider: 'openai-compatible' }, 'invalid', '"model"'],
    [{ provider: 'openai', api_key: 'k' }, 'invalid', '"model"'],
    [{ model: 'm', api_key: 'k' }, 'invalid', '"provider"'],
  ])('%j is refused as %s', (asked, kind, word) => {
    expect(open(asked)).toMatchObject({ kind, problem: expect.stringContaining(word) });
  });

  test('an installation without models reports what to do', () => {
    expect(openModel({}, () => null)).toMatchObject({
      kind: 'unconfigured',
      problem: expect.stringContaining('LLM_<PROVIDER>_API_KEY'),
    });
  });
});

describe('LLM_* variables', () => {
  test('describe the access of the installation', () => {
    const { llm } = readConfig({
      LLM_OPENAI_API_KEY: 'k',
      LLM_OPENAI_MODEL: 'gpt',
      LLM_OPENAI_COMPATIBLE_BASE_URL: 'http://localhost:11434/v1/',
    });
    expect(llm.platform).toEqual({
      openai: { apiKey: 'k', baseUrl: null, model: 'gpt' },
      anthropic: null,
      google: null,
      'openai-compatible': { apiKey: null, baseUrl: 'http://localhost:11434/v1', model: null },
    });
  });

  test('let the installation reach the servers that they name, and no others', () => {
    const { llm } = readConfig({
      LLM_OPENAI_COMPATIBLE_BASE_URL: 'http://127.0.0.1:11434/v1',
      LLM_OPENAI_BASE_URL: 'https://models.corp/v1',
      LLM_GOOGLE_API_KEY: 'k',
    });
    expect(platformRules(llm)).toEqual([
      { kind: 'host', host: 'models.corp', port: 443 },
      { kind: 'host', host: '127.0.0.1', port: 11434 },
    ]);
  });

  test.each([
    [{ LLM_OPENAI_MODEL: 'gpt' }, 'LLM_OPENAI_API_KEY is not'],
    [{ LLM_OPENAI_COMPATIBLE_API_KEY: 's3cret' }, 'LLM_OPENAI_COMPATIBLE_BASE_URL is not'],
    [{ LLM_OPENAI_BASE_URL: 'http://s3cret:99999999' }, 'LLM_OPENAI_BASE_URL is not a URL'],
    [{ LLM_GOOGLE_BASE_URL: 'ftp://x' }, 'LLM_GOOGLE_BASE_URL must begin with http:'],
  ])('%j is refused, without its value', (env, word) => {
    expect(() => readConfig(env)).toThrow(word);
    expect(() => readConfig(env)).not.toThrow('s3cret');
  });
});
