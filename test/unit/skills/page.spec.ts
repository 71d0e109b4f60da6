import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validateDocument } from '../../../dsl';
import type { Json, JsonObject } from '../../../lib/json';
import { nodeTypes } from '../../../services/workflows/tenant-node-types';
import { parseDefinition } from '../../../services/skills/rules/definition';

const page = readFileSync(join(__dirname, '../../../docs/skills.md'), 'utf8');
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``, 'g'))].map(([, text = '']) => text);

test('the definition on the page is one', () => {
  expect(blocks('markdown').map(parseDefinition)).toMatchObject([
    { kind: 'valid', value: { head: { name: 'invoice-check', version: '1.2.0' }, warnings: [] } },
  ]);
});

test('every step on the page can be saved', () => {
  const steps = blocks('json')
    .flatMap((text) => text.trim().split('\n'))
    .map((line) => JSON.parse(line) as JsonObject);
  expect(steps.map(({ type }) => type)).toEqual(['skill', 'skill', 'skill', 'agent']);
  const dsl: Json = { id: 'page', trigger: { type: 'manual' }, steps };
  expect(validateDocument(dsl, { nodeTypes }).errors).toEqual([]);
});
