import { compile, type WorkflowDocument } from '../../../dsl';
import { unawaited } from '../../../services/executor/awaited-signals';
import { builtIn } from '../../support/vocabulary';

const wait = (id: string, signal: string) => ({ id, type: 'wait_for_signal', config: { signal } });
const planOf = (...steps: object[]) =>
  compile({ id: 'd', trigger: { type: 'manual' }, steps } as unknown as WorkflowDocument, builtIn);
const branch = {
  id: 'b',
  type: 'branch',
  cases: [{ when: '{{ true }}', steps: [wait('c', 'paid')] }],
  else: [wait('e', 'sent')],
};

test('a signal that a step waits for, at any depth, causes no warning', () => {
  expect(unawaited(planOf(branch), 'paid')).toEqual([]);
  expect(unawaited(planOf(branch), 'sent')).toEqual([]);
});

test('a signal that no step waits for causes one, with the awaited signals', () => {
  expect(unawaited(planOf(wait('a', 'paid')), 'payed')).toEqual([
    { path: 'signal', message: 'no step of the workflow waits for "payed"', hint: 'the workflow waits for paid' },
  ]);
  expect(unawaited(planOf({ id: 'a', type: 'log', config: { message: 'x' } }), 'x')).toMatchObject([
    { hint: 'the workflow waits for no signals' },
  ]);
});

test('an expression may result in any name', () => {
  expect(unawaited(planOf(branch, wait('a', '{{ trigger.name }}')), 'else')).toEqual([]);
});
