import type { JsonObject } from '../../lib/json';
import type { Outcome, StepError, WaitSpec } from '../../nodes/contract';
import type { AttemptResult } from '../core/decide/event';
import type { SecretRedactor } from '../core/secrets/secret-redactor';

/** The outcome without secret values, also in the results of its wait. */
export async function redactOutcome(
  outcome: Exclude<Outcome, { kind: 'start_child' }>,
  redactor: SecretRedactor,
): Promise<AttemptResult> {
  switch (outcome.kind) {
    case 'done':
      return { ...outcome, output: (await redactor.tokenizeSliced(outcome.output)) as JsonObject };
    case 'stop':
      return 'error' in outcome
        ? { kind: 'stop', error: redactError(outcome.error, redactor) }
        : { kind: 'stop', output: (await redactor.tokenizeSliced(outcome.output)) as JsonObject };
    case 'fail':
      return { ...outcome, error: redactError(outcome.error, redactor) };
    case 'wait':
      return { ...outcome, wait: redactWait(outcome.wait, redactor) };
  }
}

const redactError = ({ code, message }: StepError, redactor: SecretRedactor): StepError => ({
  code: redactor.redactText(code),
  message: redactor.redactText(message),
});

/** Texts for people are redacted, possible outputs are tokenized. The name of a signal is matched unchanged. */
function redactWait(wait: WaitSpec, redactor: SecretRedactor): WaitSpec {
  if (wait.kind === 'timer') return { ...wait, output: redactor.tokenize(wait.output) as JsonObject };
  const { onTimeout } = wait;
  const policy =
    onTimeout.kind === 'complete'
      ? { ...onTimeout, output: redactor.tokenize(onTimeout.output) as JsonObject }
      : { ...onTimeout, error: redactError(onTimeout.error, redactor) };
  if (wait.kind === 'signal') return { ...wait, onTimeout: policy };
  if (wait.kind === 'form')
    return {
      ...wait,
      title: redactor.redactText(wait.title),
      description: redactor.redactText(wait.description),
      submit: redactor.redactText(wait.submit),
      form: redactor.redact(wait.form),
      onTimeout: policy,
    };
  return { ...wait, message: redactor.redactText(wait.message), form: redactor.redact(wait.form), onTimeout: policy };
}
