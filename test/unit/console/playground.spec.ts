import {
  configOf,
  EMPTY_VARIANT,
  faultsOf,
  hasExpressions,
  renderedText,
  workflowOf,
} from '../../../console/src/model/playground';

const VARIANT = { ...EMPTY_VARIANT, prompt: 'Say hello' };

it('a variant without a prompt, or with numbers out of their range, has faults by field', () => {
  expect(faultsOf(VARIANT)).toEqual({});
  expect(faultsOf({ ...VARIANT, temperature: '2', max_tokens: '1' })).toEqual({});
  expect(Object.keys(faultsOf({ ...EMPTY_VARIANT, prompt: ' ', temperature: '2.1', max_tokens: '0' }))).toEqual([
    'prompt',
    'temperature',
    'max_tokens',
  ]);
  expect(Object.keys(faultsOf({ ...VARIANT, temperature: 'warm', max_tokens: '1.5' }))).toEqual([
    'temperature',
    'max_tokens',
  ]);
});

it('the step of a variant has what was filled in, numbers as numbers', () => {
  expect(configOf(VARIANT)).toEqual({ prompt: 'Say hello' });
  expect(configOf({ ...VARIANT, model: 'm', temperature: '0.5', max_tokens: '20' })).toEqual({
    prompt: 'Say hello',
    model: 'm',
    temperature: 0.5,
    max_tokens: 20,
  });
  expect(workflowOf(VARIANT).steps).toEqual([{ id: 'answer', type: 'llm', config: { prompt: 'Say hello' } }]);
});

it('only texts with expressions are evaluated, and values that are no text are written as JSON', () => {
  expect(hasExpressions(VARIANT)).toBe(false);
  expect(hasExpressions({ ...VARIANT, system: '{{ trigger.role }}' })).toBe(true);
  expect([renderedText('a'), renderedText({ a: 1 }), renderedText(null)]).toEqual(['a', '{"a":1}', 'null']);
});
