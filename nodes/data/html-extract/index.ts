import type { ConfigFinding } from '../../../dsl';
import { isObject, type Json, type JsonObject } from '../../../lib/json';
import type { JsonSchema } from '../../contract';
import { defineNode } from '../../contract/define';
import { choice, filledText, flag, objectSchema, text } from '../../schema';
import { Budget } from '../budget';
import { compileSelector } from '../html/select';
import { faultsIn, memberOf, type Reading } from '../readings';
import { run } from './run';

/** Selectors that cannot be read, those of fields too. */
const check = ({ selectors }: JsonObject): ConfigFinding[] => faultsIn(readingsOf(selectors, 'selectors'));

function readingsOf(extractions: Json | undefined, path: string): Reading[] {
  if (!isObject(extractions)) return [];
  return Object.entries(extractions).flatMap(([name, extraction]): Reading[] => [
    [`${path}.${name}.selector`, memberOf(extraction, 'selector'), (text) => compileSelector(text, new Budget())],
    ...readingsOf(memberOf(extraction, 'fields'), `${path}.${name}.fields`),
  ]);
}

const EXTRACTION: Readonly<Record<string, JsonSchema>> = {
  selector: filledText('A CSS selector.', 'article h1', { maxLength: 500 }),
  all: flag('Returns a list of all matches. False: the first match, or null.', { default: false }),
  attribute: filledText('Name of an attribute to return.', 'href', { maxLength: 100 }),
  as: choice(
    ['text', 'html'],
    'Without an attribute: the visible text with collapsed white space, or the inner HTML.',
    { default: 'text' },
  ),
};

const named = (title: string, description: string, extraction: JsonSchema, example: object): JsonSchema => ({
  type: 'object',
  title,
  description,
  additionalProperties: extraction,
  minProperties: 1,
  maxProperties: 50,
  examples: [example],
});

const fields = named(
  'Fields',
  'Makes an object of each element: what is found inside it, by name.',
  objectSchema(EXTRACTION, ['selector']),
  { name: { selector: 'h2' }, link: { selector: 'a', attribute: 'href' } },
);

export const htmlExtractNode = defineNode({
  type: 'html_extract',
  title: 'Extract from HTML',
  description: 'Extracts texts and attributes from HTML with CSS selectors.',
  category: 'Data',
  effect: 'pure',
  input: objectSchema(
    {
      html: text(
        'HTML document or fragment, at most 512 KiB. Scripts are not run and nothing is fetched.',
        '{{ steps.fetch.body }}',
      ),
      selectors: named(
        'Selectors',
        'What to find, by the name that it gets in the output.',
        objectSchema({ ...EXTRACTION, fields }, ['selector']),
        { title: { selector: 'h1' }, links: { selector: 'a', attribute: 'href', all: true } },
      ),
    },
    ['html', 'selectors'],
  ),
  output: {
    type: 'object',
    description: 'Results by selector name. Without a match: null, or an empty list.',
  },
  check,
  run,
});
