import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileTemplate, ExpressionError } from '../../../dsl';
import { FUNCTIONS } from '../../../dsl/expression/functions';
import { DOCUMENT_KEYS, STEP_KEYS } from '../../../dsl/validation/keywords';
import { validateDocument } from '../../../dsl';
import { nodeTypes } from './support/documents';

const page = (name: string): string => readFileSync(join(__dirname, '../../../docs', name), 'utf8');

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

test('the page on workflows names every key, and its example is valid', () => {
  const text = page('workflows.md');
  expect([...DOCUMENT_KEYS, ...STEP_KEYS].filter((key) => !text.includes(`\`${key}\``))).toEqual([]);
  const example = /```json\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
  expect(validateDocument(JSON.parse(example), { nodeTypes })).toEqual({ errors: [], warnings: [] });
});
