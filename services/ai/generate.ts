import type { Compute } from '../../lib/compute';
import { AppError, type ErrorDetail } from '../../lib/errors';
import type { JsonObject } from '../../lib/json';
import { type LlmMessage, LlmError, textOf } from '../../lib/llm';
import { rulesMessage, userSays } from '../../nodes/ai/messages';
import type { Model } from '../../nodes/ai/model';
import { dataForm } from '../../nodes/ai/structured';
import type { GeneratedWorkflow } from '../../contracts/ai';
import { modelFault } from './models';

const MAX_ATTEMPTS = 3;
/** Faults listed in a retry message. */
const MAX_FAULTS = 20;

const RULES = [
  'You write workflows in the language that is described below, for a service that runs them.',
  'Answer with one JSON object and nothing else: {"dsl": <the workflow, one document of the language>, "notes": "<what the person should know, such as secrets to store and addresses to fill in>"}.',
  'Use only step types, keys and functions that the description has. Never write a key or password into a workflow: use {{ secret.NAME }} and name the secret in the notes.',
  'Where the request leaves something open, choose the simplest thing and say so in the notes.',
].join('\n');

const ANSWER: JsonObject = {
  type: 'object',
  properties: { dsl: { type: 'object' }, notes: { type: 'string' } },
  required: ['dsl'],
};

/** The request to change a document. */
export const changeOf = (dsl: JsonObject, request: string): string =>
  `Change this workflow:\n${JSON.stringify(dsl)}\n\nKeep ids, names and everything else that the request does not concern. The request:\n${request}`;

type Validate = (dsl: JsonObject) => Promise<{ valid: boolean; errors: ErrorDetail[] }>;

/**
 * Lets a model write a workflow, validates it, and sends the faults back to the model until it is valid. Returns the last
 * workflow when the attempts are used up, or when the model fails after the first one. @throws AppError
 */
export async function generateWorkflow(
  model: Model,
  compute: Compute,
  { request, reference }: { request: string; reference: string },
  validate: Validate,
): Promise<GeneratedWorkflow> {
  const form = await dataForm(compute, ANSWER);
  if ('problem' in form) throw new Error(form.problem);
  const messages: LlmMessage[] = [...rulesMessage([RULES, reference]), userSays(request)];
  let last: GeneratedWorkflow | null = null;
  let problem = '';
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const answer = await ask(model, messages, last !== null);
    if (answer === null) break;
    const parsed = await form.read(answer);
    if ('data' in parsed) {
      // The form has checked the data against ANSWER.
      const { dsl, notes = '' } = parsed.data as unknown as { dsl: JsonObject; notes?: string };
      const { valid, errors } = await validate(dsl);
      last = { dsl, valid, errors, notes };
      if (valid) return last;
      problem = listFaults(errors);
    } else problem = parsed.problem;
    messages.push(...retryMessages(answer, problem));
  }
  if (last !== null) return last;
  throw new AppError('provider_failed', `The model did not write a workflow: ${problem}`);
}

/**
 * The text of the model's answer; null when the model fails and the answer is optional. Requests any JSON, because some
 * providers reject a schema with an object of any shape.
 */
async function ask(model: Model, messages: readonly LlmMessage[], isOptional: boolean): Promise<string | null> {
  try {
    const { answer } = await model.ask({ messages, schema: 'any' });
    return textOf(answer.parts);
  } catch (fault) {
    if (!(fault instanceof LlmError)) throw fault;
    if (isOptional) return null;
    throw modelFault(fault);
  }
}

const listFaults = (faults: readonly ErrorDetail[]): string =>
  faults
    .slice(0, MAX_FAULTS)
    .map(({ path, message, hint }) => `- ${path}: ${message}${hint === undefined ? '' : ` (${hint})`}`)
    .join('\n');

const retryMessages = (answer: string, problem: string): LlmMessage[] => [
  // Providers reject an empty message.
  ...(answer.trim() === '' ? [] : [{ role: 'assistant' as const, parts: [{ kind: 'text' as const, text: answer }] }]),
  userSays(`The workflow is invalid:\n${problem}\nAnswer with the whole corrected JSON object.`),
];
