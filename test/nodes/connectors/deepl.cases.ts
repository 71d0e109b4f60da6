import { casesOf } from './case-builders';

const { gives, fails } = casesOf(
  { auth_key: '279a2e9d-83b3:fx' },
  { authorization: 'DeepL-Auth-Key 279a2e9d-83b3:fx' },
);

const TRANSLATED = { translations: [{ detected_source_language: 'EN', text: 'Hallo' }] };

export const cases = [
  gives(
    ['translate', 'texts are translated'],
    { text: ['Hello'], target_lang: 'DE', formality: 'prefer_more', context: 'A mail.' },
    [
      'POST /v2/translate',
      { body: { text: ['Hello'], target_lang: 'DE', context: 'A mail.', formality: 'prefer_more' } },
    ],
    TRANSLATED,
  ),
  gives(
    ['rephrase', 'a text reads better'],
    { text: ['I has it'], writing_style: 'simple' },
    ['POST /v2/write/rephrase', { body: { text: ['I has it'], writing_style: 'simple' } }],
    { improvements: [{ text: 'I have it', detected_source_language: 'en' }] },
  ),
  gives(['get_usage', 'what is used'], {}, 'GET /v2/usage', { character_count: 1, character_limit: 500_000 }),
  fails(
    ['get_usage', 'a wrong key is rejected'],
    {},
    'GET /v2/usage',
    { status: 403, text: 'Forbidden' },
    { code: 'forbidden', message: 'DeepL answered 403: Forbidden' },
  ),
  gives(
    ['list_languages', 'languages'],
    { type: 'target' },
    'GET /v2/languages?type=target',
    [{ language: 'DE', name: 'German', supports_formality: true }],
    { languages: [{ language: 'DE', name: 'German', supports_formality: true }], count: 1 },
  ),
  fails(
    ['translate', 'characters that are used up are final'],
    { text: ['Hello'], target_lang: 'DE' },
    ['POST /v2/translate', { body: { text: ['Hello'], target_lang: 'DE' } }],
    { status: 456, json: { message: 'Quota Exceeded' } },
    { code: 'refused', message: 'DeepL answered 456: Quota Exceeded' },
  ),
  fails(
    ['translate', 'too many at a time may be tried again'],
    { text: ['Hello'], target_lang: 'DE' },
    ['POST /v2/translate', { body: { text: ['Hello'], target_lang: 'DE' } }],
    { status: 429, json: { message: 'Too many requests' } },
    { code: 'rate_limited', message: 'Too many requests', retryable: true },
  ),
];
