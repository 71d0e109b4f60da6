import type { Compute } from '../../lib/compute';
import { AppError, type ErrorDetail } from '../../lib/errors';
import type { JsonObject } from '../../lib/json';
import { type LlmMessage, LlmError, textOf } from '../../lib/llm';
import { rulesMessage, userSays } from '../../nodes/ai/messages';
import type { Model } from '../../nodes/ai/model';
import { type DataForm, dataForm } from '../../nodes/ai/structured';
import type { GeneratedWorkflow } from '../../contracts/ai';
import { modelFault } from './faults';

/** How often the model is asked: once, and again with what was wrong. */
const TRIES = 3;

/** Faults that one retry message lists. */
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

/** What a workflow is checked by. */
type Check = (dsl: JsonObject) => Promise<{ valid: boolean; errors: ErrorDetail[] }>;

/**
 * Has a workflow written by a model: it is checked as at saving, and the model is asked again with the faults. When
 * the model, or the time, fails after a first try, that one counts. @throws AppError
 */
export async function generateWorkflow(
  model: Model,
  compute: Compute,
  { request, reference }: { request: string; reference: string },
  check: Check,
): Promise<GeneratedWorkflow> {
  const form = await answerForm(compute);
  const messages: LlmMessage[] = [...rulesMessage([RULES, reference]), userSays(request)];
  let best: GeneratedWorkflow | null = null;
  let problem = '';
  for (let tries = 0; tries < TRIES; tries++) {
    const answerText = await ask(model, messages, best !== null);
    if (answerText === null) break;
    const read = await form.read(answerText);
    if ('data' in read) {
      best = await examined(read.data as unknown as Written, check);
      if (best.valid) return best;
    }
    problem = 'data' in read ? faultsOf(best) : read.problem;
    messages.push(...retryMessages(answerText, problem));
  }
  if (best !== null) return best;
  throw new AppError('provider_failed', `The model has not written a workflow: ${problem}`);
}

/**
 * The answer's text. Any JSON is asked for, since some providers take no schema with a member as open as a workflow.
 * Null when there is none, and there is something without it.
 */
async function ask(model: Model, messages: readonly LlmMessage[], dispensable: boolean): Promise<string | null> {
  try {
    const { answer } = await model.ask({ messages, schema: 'any' });
    return textOf(answer.parts);
  } catch (fault) {
    if (!(fault instanceof LlmError)) throw fault;
    if (dispensable) return null;
    throw modelFault(fault);
  }
}

interface Written {
  readonly dsl: JsonObject;
  readonly notes?: string;
}

async function examined({ dsl, notes = '' }: Written, check: Check): Promise<GeneratedWorkflow> {
  const { valid, errors } = await check(dsl);
  return { dsl, valid, errors, notes };
}

const faultsOf = (written: GeneratedWorkflow | null): string =>
  (written?.errors ?? [])
    .slice(0, MAX_FAULTS)
    .map(({ path, message, hint }) => `- ${path}: ${message}${hint === undefined ? '' : ` (${hint})`}`)
    .join('\n');

const retryMessages = (answerText: string, problem: string): LlmMessage[] => [
  // Providers refuse a turn that says nothing.
  ...(answerText.trim() === ''
    ? []
    : [{ role: 'assistant' as const, parts: [{ kind: 'text' as const, text: answerText }] }]),
  userSays(`The workflow is refused:\n${problem}\nAnswer with the whole corrected JSON object.`),
];

async function answerForm(compute: Compute): Promise<DataForm> {
  const form = await dataForm(compute, ANSWER);
  if ('problem' in form) throw new Error(form.problem);
  return form;
}
