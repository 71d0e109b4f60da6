import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  compile,
  compileTemplate,
  ExpressionError,
  prepare,
  validateDocument,
  type WorkflowDocument,
} from '../../../dsl';
import { CONTROL_TYPES } from '../../../dsl/control';
import { FUNCTIONS } from '../../../dsl/expression/functions';
import { DOCUMENT_KEYS, STEP_KEYS } from '../../../dsl/validation/keywords';
import { TRIGGER_TYPES } from '../../../dsl/validation/trigger-types';
import type { JsonObject } from '../../../lib/json';
import { builtIn } from '../../support/vocabulary';
import { document, step } from './support/documents';

const page = (name: string): string => readFileSync(join(__dirname, '../../../docs', name), 'utf8');

/** The examples of a page: a whole document, or members of one, which are then put into the smallest there is. */
const examples = (name: string): JsonObject[] =>
  [...page(name).matchAll(/```json\n([\s\S]*?)```/g)].map(([, text = '']) => {
    if (text.startsWith('{')) return JSON.parse(text) as JsonObject;
    const members = JSON.parse(`{${text}}`) as JsonObject;
    const { trigger, ...rest } = document([step('a')]);
    return { ...rest, ...('triggers' in members ? {} : { trigger: trigger as JsonObject }), ...members };
  });

test('the page on expressions names every function', () => {
  const text = page('expressions.md');
  expect([...FUNCTIONS.keys()].filter((name) => !new RegExp(`\`${name}[(\`]`).test(text))).toEqual([]);
});

test('the expressions on the pages can be read', () => {
  for (const name of ['expressions.md', 'workflows.md']) {
    for (const [found] of page(name).matchAll(/\{\{ [a-z].*? \}\}/g)) {
      expect(() => compileTemplate(found.replaceAll('\\"', '"'))).not.toThrow(ExpressionError);
    }
  }
});

describe('the page on workflows', () => {
  const text = page('workflows.md');
  const missing = (words: Iterable<string>): string[] => [...words].filter((word) => !text.includes(`\`${word}\``));

  test('names every key, every step that holds others, and every trigger that there is', () => {
    expect(missing([...DOCUMENT_KEYS, ...STEP_KEYS])).toEqual([]);
    const control = Object.entries(CONTROL_TYPES).flatMap(([name, { aliases, keys, config }]) => [
      name,
      ...aliases,
      ...keys,
      ...config,
    ]);
    expect(missing(control)).toEqual([]);
    expect(missing(TRIGGER_TYPES.keys())).toEqual([]);
  });

  test('has an example of every key of a step and of every step that holds others', () => {
    const source = JSON.stringify(examples('workflows.md'));
    const keys = STEP_KEYS.filter((key) => key !== 'name').map((key) => `"${key}":`);
    const types = Object.keys(CONTROL_TYPES).map((type) => `"type":"${type}"`);
    expect([...keys, ...types].filter((part) => !source.includes(part))).toEqual([]);
  });

  test.each(examples('workflows.md').map((example, index) => [index + 1, example] as const))(
    'example %i is right as it stands',
    (_number, example) => {
      expect(validateDocument(example, { nodeTypes: builtIn })).toEqual({ errors: [], warnings: [] });
      expect(() => prepare(compile(example as unknown as WorkflowDocument, builtIn))).not.toThrow();
    },
  );
});
