import type { JsonObject } from '../../../lib/json';
import type { NodeContext, Outcome } from '../../contract';

/** Says what is to be started; the runtime starts it, and waits. */
export function run({ input }: NodeContext): Outcome {
  // The runtime has checked the input against the manifest's schema.
  const given = input as { workflow: string; input?: JsonObject; wait?: boolean };
  return { kind: 'start_child', workflow: given.workflow, input: given.input ?? {}, wait: given.wait ?? true };
}
