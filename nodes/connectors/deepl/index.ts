import { field, headerKey } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { outputList } from '../http/read';
import { choice, flag, integer, list, outputOf, record, text } from '../../schema';
import { secretField } from '../credentials';
import { defineConnector, readAction } from '../define';

const TEXTS = list({ type: 'string' }, 'Up to 50.', ['It is on its way.'], { minItems: 1, maxItems: 50 });
const TARGET = text('A language.', 'DE', { minLength: 2 });
const NAMES = outputOf({
  languages: list(record('With `language` and `name`.'), 'Which there are.'),
  count: integer('How many there are.', 33),
});

const actions: readonly HttpAction[] = [
  readAction('translate', 'Translates texts. Characters count for the account, each time.', {
    required: { text: TEXTS, target_lang: TARGET },
    optional: {
      source_lang: text('A language; found out where it is left out.', 'EN'),
      context: text('What helps to understand, and is not translated.', 'A mail to a customer.'),
      formality: choice(['default', 'more', 'less', 'prefer_more', 'prefer_less'], 'How to address people.'),
      preserve_formatting: flag('Punctuation and case stay.', { default: false }),
      tag_handling: choice(['xml', 'html'], 'What marks up the texts.'),
      glossary_id: text('Its id; needs the language it is from.', 'def3a26b-3e84-45b3-84ae-0c0aaf3525f7'),
    },
    output: outputOf({
      translations: list(record('With `text` and `detected_source_language`.'), 'In order.', [
        { detected_source_language: 'EN', text: 'Es ist unterwegs.' },
      ]),
    }),
    call: 'POST /v2/translate',
  }),
  readAction('rephrase', 'Corrects texts and makes them read better. Characters count for the account.', {
    required: { text: TEXTS },
    optional: {
      target_lang: { ...TARGET, title: 'In', description: 'The language; that of the text where it is left out.' },
      writing_style: choice(['simple', 'business', 'academic', 'casual', 'default'], 'Of the writing.'),
      tone: choice(['enthusiastic', 'friendly', 'confident', 'diplomatic', 'default'], 'Instead of a style.'),
    },
    output: outputOf({
      improvements: list(record('With `text` and its languages.'), 'In order.', [{ text: 'It is on its way.' }]),
    }),
    call: 'POST /v2/write/rephrase',
  }),
  readAction('get_usage', 'How many characters of the period are used.', {
    output: outputOf({
      character_count: integer('Characters.', 180_118),
      character_limit: integer('Characters.', 1_250_000),
    }),
    call: 'GET /v2/usage',
  }),
  readAction('list_languages', 'Languages that texts may be in, or be translated to.', {
    optional: { type: choice(['source', 'target'], 'From, or to.', { default: 'source' }) },
    output: NAMES,
    call: 'GET /v2/languages',
    read: outputList('languages'),
  }),
];

export const deepl = defineConnector({
  name: 'deepl',
  title: 'DeepL',
  description: 'Translates texts, and makes them read better.',
  category: 'AI',
  docs: 'https://developers.deepl.com/docs',

  fields: [secretField('auth_key', 'API key', 'Your account, API keys.', '279a2e9d-83b3-c416-7e2d-f721593e42a0:fx')],
  // Keys of the free plan end like this, and count elsewhere.
  base: (account) =>
    field(account, 'auth_key').endsWith(':fx') ? 'https://api-free.deepl.com' : 'https://api.deepl.com',
  sign: headerKey('authorization', 'auth_key', 'DeepL-Auth-Key '),
  probe: 'get_usage',
  actions,
});
