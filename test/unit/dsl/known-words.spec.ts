import { STEP_WORDS, TRIGGER_WORDS } from '../../../dsl/known-words';
import { TRIGGER_TYPES } from '../../../dsl/validation/trigger-types';
import { validateDocument } from '../../../dsl';
import type { Json, JsonObject } from '../../../lib/json';
import { nodes } from '../../../nodes';
import { controls } from '../../../nodes/control';
import { builtIn } from '../../support/vocabulary';

function hintOf(document: JsonObject, path: string): string | undefined {
  const { errors } = validateDocument(document, { nodeTypes: builtIn, variableNames: new Set() });
  return errors.find((error) => error.path === path)?.hint;
}

const withStep = (type: string, more: Record<string, Json> = {}): JsonObject => ({
  id: 'd',
  trigger: { type: 'manual' },
  steps: [{ id: 'a', type, ...more }],
});

test.each(['webhook', 'cron', 'imap'])('the trigger %s of other products has a hint', (type) => {
  const document = { ...withStep('log', { config: { message: 'x' } }), trigger: { type } };
  expect(hintOf(document, 'trigger.type')).toBe(`write "${TRIGGER_WORDS.get(type)}"`);
});

test.each(['function', 'loop', 'Timer', 'sql', 'function-node'])('the step %s of other products has a hint', (type) => {
  const meant = STEP_WORDS.get(type.toLowerCase().replace('-node', ''));
  expect(hintOf(withStep(type), 'steps[0].type')).toBe(`write "${meant}"`);
});

test('every word refers to an existing type, and is not a type itself', () => {
  const aliases = Object.values(controls).flatMap((control) => control.aliases);
  const types = new Set([...nodes.types.keys(), ...nodes.aliases.keys(), ...Object.keys(controls), ...aliases]);
  for (const [word, meant] of STEP_WORDS)
    expect([word, types.has(meant), types.has(word)]).toEqual([word, true, false]);
  for (const [word, meant] of TRIGGER_WORDS)
    expect([word, TRIGGER_TYPES.has(meant), TRIGGER_TYPES.has(word)]).toEqual([word, true, false]);
});

test('a method in lower case is converted to upper case', () => {
  const config = { url: 'http://127.0.0.1:1/', method: 'get' };
  expect(hintOf(withStep('http_request', { config }), 'steps[0].config.method')).toBe('did you mean "GET"?');
});

test('keys of an if in other products are replaced by those of a branch', () => {
  const branch = withStep('if', JSON.parse('{ "condition": "{{ true }}", "then": [] }') as JsonObject);
  expect(hintOf(branch, 'steps[0].then')).toBe('write "cases": [{"when": "{{ ... }}", "steps": [...]}]');
  expect(hintOf(branch, 'steps[0].condition')).toBe('write "cases": [{"when": "{{ ... }}", "steps": [...]}]');
});
