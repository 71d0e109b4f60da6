import type { JsonObject } from '../../../../lib/json';
import type { NodeType, StepError } from '../../../../nodes/contract';
import { createContext } from '../context';

/** The output of a node that computes. Throws when it fails. */
export function outputOf(node: NodeType, input: JsonObject): JsonObject {
  const outcome = runInline(node, input);
  if ('then' in outcome || outcome.kind !== 'done') throw new Error(`${node.type}: ${JSON.stringify(outcome)}`);
  return outcome.output;
}

/** The error of a node that computes, which must not be worth another try. Throws when it does not fail. */
export function errorOf(node: NodeType, input: JsonObject): StepError {
  const outcome = runInline(node, input);
  if ('then' in outcome || outcome.kind !== 'fail' || outcome.retryable) {
    throw new Error(`${node.type}: ${JSON.stringify(outcome).slice(0, 500)}`);
  }
  return outcome.error;
}

/** Runs a node in one go, however slow the machine is: by this clock no time passes, so nothing moves to a thread. */
function runInline(node: NodeType, input: JsonObject): ReturnType<NodeType['run']> {
  const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
  try {
    return node.run(createContext(input));
  } finally {
    clock.mockRestore();
  }
}
