import type { JsonObject } from '../../lib/json';
import type { Outcome, StepError, WaitSpec } from '../../nodes/contract';
import type { Settled } from '../rules/event';
import type { Veil } from '../rules/veil';

/** The outcome without any secret value in it, or in what it may turn into later. */
export function sealed(outcome: Exclude<Outcome, { kind: 'start_child' }>, veil: Veil): Settled {
  switch (outcome.kind) {
    case 'done':
      return { ...outcome, output: veil.seal(outcome.output) as JsonObject };
    case 'stop':
      return 'error' in outcome
        ? { kind: 'stop', error: masked(outcome.error, veil) }
        : { kind: 'stop', output: veil.seal(outcome.output) as JsonObject };
    case 'fail':
      return { ...outcome, error: masked(outcome.error, veil) };
    case 'wait':
      return { ...outcome, wait: sealedWait(outcome.wait, veil) };
  }
}

const masked = ({ code, message }: StepError, veil: Veil): StepError => ({
  code: veil.maskText(code),
  message: veil.maskText(message),
});

/** What a wait shows to people is masked; what it may put out is sealed. A signal's name is matched as it is. */
function sealedWait(wait: WaitSpec, veil: Veil): WaitSpec {
  if (wait.kind === 'timer') return { ...wait, output: veil.seal(wait.output) as JsonObject };
  const { onTimeout } = wait;
  const policy =
    onTimeout.kind === 'complete'
      ? { ...onTimeout, output: veil.seal(onTimeout.output) as JsonObject }
      : { ...onTimeout, error: masked(onTimeout.error, veil) };
  if (wait.kind === 'signal') return { ...wait, onTimeout: policy };
  return { ...wait, message: veil.maskText(wait.message), form: veil.mask(wait.form), onTimeout: policy };
}
