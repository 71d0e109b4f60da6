import { field, headerKey } from '../auth';
import type { HttpAction } from '../contract';
import { outputList } from '../http/read';
import { choice, flag, integer, list, outputOf, record, text } from '../../schema';
import { secretField } from '../credentials';
import { defineConnector, readAction } from '../define';

const TEXTS = list({ type: 'string' }, 'Texts, up to 50.', ['It is on its way.'], { minItems: 1, maxItems: 50 });
const TARGET = text('Target language.', 'DE', { minLength: 2 });
const NAMES = outputOf({
  languages: list(record('`language` and `name`.'), 'Supported languages.'),
  count: integer('Number of items.', 33),
});

const actions: readonly HttpAction[] = [
  readAction('translate', 'Translates texts. Characters count against the quota on each attempt.', {
    required: { text: TEXTS, target_lang: TARGET },
    optional: {
      source_lang: text('Source language. Default: detected.', 'EN'),
      context: text('Context that improves the translation and is not translated itself.', 'A mail to a customer.'),
      formality: choice(['default', 'more', 'less', 'prefer_more', 'prefer_less'], 'Formal or informal language.'),
      preserve_formatting: flag('Keeps punctuation and capitalization.', { default: false }),
      tag_handling: choice(['xml', 'html'], 'Markup of the texts.'),
      glossary_id: text('ID of the glossary; requires the source language.', 'def3a26b-3e84-45b3-84ae-0c0aaf3525f7'),
    },
    output: outputOf({
      translations: list(record('`text` and `detected_source_language`.'), 'Results in the order of the texts.', [
        { detected_source_language: 'EN', text: 'Es ist unterwegs.' },
      ]),
    }),
    call: 'POST /v2/translate',
  }),
  readAction('rephrase', 'Corrects and improves texts. Characters count against the quota on each attempt.', {
    required: { text: TEXTS },
    optional: {
      target_lang: { ...TARGET, title: 'In', description: 'Language of the result. Default: that of the text.' },
      writing_style: choice(['simple', 'business', 'academic', 'casual', 'default'], 'Style of the result.'),
      tone: choice(
        ['enthusiastic', 'friendly', 'confident', 'diplomatic', 'default'],
        'Tone of the result; cannot be combined with a style.',
      ),
    },
    output: outputOf({
      improvements: list(record('`text` and its languages.'), 'Results in the order of the texts.', [
        { text: 'It is on its way.' },
      ]),
    }),
    call: 'POST /v2/write/rephrase',
  }),
  readAction('get_usage', 'Returns the number of characters used in the current period.', {
    output: outputOf({
      character_count: integer('Number of characters.', 180_118),
      character_limit: integer('Number of characters.', 1_250_000),
    }),
    call: 'GET /v2/usage',
  }),
  readAction('list_languages', 'Lists source or target languages.', {
    optional: { type: choice(['source', 'target'], 'Source or target languages.', { default: 'source' }) },
    output: NAMES,
    call: 'GET /v2/languages',
    read: outputList('languages'),
  }),
];

export const deepl = defineConnector({
  name: 'deepl',
  title: 'DeepL',
  description: 'Translate and improve texts.',
  category: 'AI',
  docs: 'https://developers.deepl.com/docs',

  fields: [secretField('auth_key', 'API key', 'Account > API Keys.', '279a2e9d-83b3-c416-7e2d-f721593e42a0:fx')],
  // Keys of the free plan end like this, and count elsewhere.
  base: (account) =>
    field(account, 'auth_key').endsWith(':fx') ? 'https://api-free.deepl.com' : 'https://api.deepl.com',
  sign: headerKey('authorization', 'auth_key', 'DeepL-Auth-Key '),
  connectionTest: 'get_usage',
  actions,
});
