import type { EmitResult } from '../../../nodes/contract';
import { emitSignalNode } from '../../../nodes/flow/emit-signal';
import { createContext } from './context';

const answered = (answer: EmitResult) => createContext({ signal: 'paid' }, [], { emit: async () => answer });

test('the output lists the started workflows and the refused ones', async () => {
  const started = [{ workflow_id: 'w1', execution_id: 'e1' }];
  const refused = [{ workflow_id: 'w2', code: 'workflow_disabled', message: 'It is disabled' }];
  expect(await emitSignalNode.run(answered({ kind: 'sent', started, refused }))).toEqual({
    kind: 'done',
    output: { signal: 'paid', started, refused },
  });
});

test.each([true, false])('a refusal is the error of the step, retryable: %p', async (retryable) => {
  const error = { code: 'execution_ended', message: 'It has ended' };
  expect(await emitSignalNode.run(answered({ kind: 'refused', error, retryable }))).toEqual({
    kind: 'fail',
    error,
    retryable,
  });
});

test('other faults are passed to the runtime', async () => {
  const emit = async (): Promise<EmitResult> => {
    throw new Error('out of order');
  };
  await expect(emitSignalNode.run(createContext({ signal: 'paid' }, [], { emit }))).rejects.toThrow('out of order');
});
