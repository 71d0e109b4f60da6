import { field, headerKey } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { asks, hidden } from '../define';
import { listAs } from '../http/read';
import { choice, flag, integer, list, outputOf, record, text } from '../schemas';

const TEXTS = list({ type: 'string' }, 'Texts', 'Up to 50.', ['It is on its way.'], { minItems: 1, maxItems: 50 });
const TARGET = text('To', 'A language.', 'DE', { minLength: 2 });
const NAMES = outputOf({
  languages: list(record('Language', 'With `language` and `name`.'), 'Languages', 'Which there are.'),
  count: integer('Count', 'How many there are.', 33),
});

const actions: readonly HttpAction[] = [
  asks('translate', 'Translate', 'Translates texts. Characters count for the account, each time.', {
    needs: { text: TEXTS, target_lang: TARGET },
    may: {
      source_lang: text('From', 'A language; found out where it is left out.', 'EN'),
      context: text('Context', 'What helps to understand, and is not translated.', 'A mail to a customer.'),
      formality: choice(
        ['default', 'more', 'less', 'prefer_more', 'prefer_less'],
        'Formality',
        'How to address people.',
      ),
      preserve_formatting: flag('Keep the form', 'Punctuation and case stay.', { default: false }),
      tag_handling: choice(['xml', 'html'], 'Tags', 'What marks up the texts.'),
      glossary_id: text('Glossary', 'Its id; needs the language it is from.', 'def3a26b-3e84-45b3-84ae-0c0aaf3525f7'),
    },
    output: outputOf({
      translations: list(
        record('Translation', 'With `text` and `detected_source_language`.'),
        'Translations',
        'In order.',
        [{ detected_source_language: 'EN', text: 'Es ist unterwegs.' }],
      ),
    }),
    call: 'POST /v2/translate',
  }),
  asks('rephrase', 'Write better', 'Corrects texts and makes them read better. Characters count for the account.', {
    needs: { text: TEXTS },
    may: {
      target_lang: { ...TARGET, title: 'In', description: 'The language; that of the text where it is left out.' },
      writing_style: choice(['simple', 'business', 'academic', 'casual', 'default'], 'Style', 'Of the writing.'),
      tone: choice(['enthusiastic', 'friendly', 'confident', 'diplomatic', 'default'], 'Tone', 'Instead of a style.'),
    },
    output: outputOf({
      improvements: list(record('Text', 'With `text` and its languages.'), 'Texts', 'In order.', [
        { text: 'It is on its way.' },
      ]),
    }),
    call: 'POST /v2/write/rephrase',
  }),
  asks('get_usage', 'Get the usage', 'How many characters of the period are used.', {
    output: outputOf({
      character_count: integer('Used', 'Characters.', 180_118),
      character_limit: integer('Limit', 'Characters.', 1_250_000),
    }),
    call: 'GET /v2/usage',
  }),
  asks('list_languages', 'List languages', 'Languages that texts may be in, or be translated to.', {
    may: { type: choice(['source', 'target'], 'Kind', 'From, or to.', { default: 'source' }) },
    output: NAMES,
    call: 'GET /v2/languages',
    read: listAs('languages'),
  }),
];

export const deepl: Connector = {
  name: 'deepl',
  title: 'DeepL',
  description: 'Translates texts, and makes them read better.',
  category: 'AI',
  docs: 'https://developers.deepl.com/docs',
  auth: {
    required: true,
    fields: [hidden('auth_key', 'API key', 'Your account, API keys.', '279a2e9d-83b3-c416-7e2d-f721593e42a0:fx')],
  },
  // Keys of the free plan end like this, and count elsewhere.
  base: (account) =>
    field(account, 'auth_key').endsWith(':fx') ? 'https://api-free.deepl.com' : 'https://api.deepl.com',
  sign: headerKey('authorization', 'auth_key', 'DeepL-Auth-Key '),
  probe: { action: 'get_usage', input: {} },
  actions,
};
