import type { Compute } from '../../lib/compute';
import type { ErrorDetail } from '../../lib/errors';
import { isObject, type Json, type JsonObject } from '../../lib/json';
import { checkSliced } from '../../lib/json-schema/check-sliced';
import { type LlmAnswer, type LlmMessage, type LlmRequest, textOf } from '../../lib/llm';
import type { Outcome } from '../contract';
import { userSays } from './messages';

/** Validated data of a model, or the faults of its last answer. */
type Structured =
  | { readonly kind: 'data'; readonly data: Json; readonly answer: LlmAnswer }
  | { readonly kind: 'fault'; readonly problem: string; readonly answer: LlmAnswer };

/** The form that data must have, ready for use. */
export interface DataForm {
  /** The schema for the provider: always of an object, since some accept nothing else. */
  readonly schema: JsonObject;
  /** The data in a text, or its faults. @throws AppError unavailable */
  read(text: string): Promise<{ data: Json } | { problem: string }>;
}

/** Faults in one message to a model. */
const MAX_FAULTS = 10;

/** The compiled schema of a user, or its fault. @throws AppError unavailable */
export async function dataForm(compute: Compute, schema: JsonObject): Promise<DataForm | { problem: string }> {
  const { of, faults } = await checkSliced(compute, { schema }, null);
  if (of === 'schema') return { problem: listed(faults) };
  const wrapped = schema.type !== 'object';
  return {
    schema: wrapped ? wrapperOf(schema) : schema,
    async read(text) {
      const parsed = jsonIn(text);
      if (parsed === undefined) return { problem: 'the answer is not valid JSON' };
      const data = wrapped && isObject(parsed) && Object.hasOwn(parsed, 'value') ? (parsed.value as Json) : parsed;
      const { faults } = await checkSliced(compute, { schema }, data);
      return faults.length === 0 ? { data } : { problem: listed(faults) };
    },
  };
}

/** Requests data, and once more with the faults of an invalid answer. `ask` receives the name of the sub-step. */
export async function askForData(
  ask: (request: Pick<LlmRequest, 'messages' | 'schema'>, part: 'data' | 'repair') => Promise<LlmAnswer>,
  messages: readonly LlmMessage[],
  form: DataForm,
): Promise<Structured> {
  const { schema } = form;
  const first = await ask({ messages, schema }, 'data');
  const read = await form.read(textOf(first.parts));
  if ('data' in read) return { kind: 'data', data: read.data, answer: first };
  const answer = await ask({ messages: [...messages, ...repairOf(first, read.problem, schema)], schema }, 'repair');
  const again = await form.read(textOf(answer.parts));
  return 'data' in again
    ? { kind: 'data', data: again.data, answer }
    : { kind: 'fault', problem: again.problem, answer };
}

/** Models are not the same each time, so another attempt may do better. */
export const invalidAnswer = (
  { problem, answer }: { problem: string; answer: LlmAnswer },
  mask: (text: string) => string,
): Outcome => ({
  kind: 'fail',
  error: {
    code: 'invalid_answer',
    message: mask(
      answer.finish === 'length'
        ? `the answer was cut off at the most tokens, and is not of the schema: ${problem}`
        : `the model's answer is not of the schema: ${problem}`,
    ),
  },
  retryable: true,
});

/** The invalid answer with its faults. */
function repairOf(answer: LlmAnswer, problem: string, schema: JsonObject): LlmMessage[] {
  const wrong = textOf(answer.parts);
  return [
    // Providers refuse an empty turn.
    ...(wrong.trim() === '' ? [] : [{ role: 'assistant' as const, parts: [{ kind: 'text' as const, text: wrong }] }]),
    userSays(
      `This cannot be used: ${problem}.\nAnswer with corrected JSON alone, that fits this JSON Schema:\n${JSON.stringify(schema)}`,
    ),
  ];
}

/** A schema of something else, as the member of an object; definitions stay where references look for them. */
function wrapperOf({ $defs, ...schema }: JsonObject): JsonObject {
  return {
    type: 'object',
    properties: { value: schema },
    required: ['value'],
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs }),
  };
}

const FENCE = '```';

/** Parses JSON, also within a code fence; undefined if it is invalid. */
function jsonIn(text: string): Json | undefined {
  const trimmed = text.trim();
  const lineEnd = trimmed.indexOf('\n');
  const fenced = trimmed.startsWith(FENCE) && trimmed.endsWith(FENCE) && lineEnd > 0;
  try {
    return JSON.parse(fenced ? trimmed.slice(lineEnd, -FENCE.length) : trimmed) as Json;
  } catch {
    // The model gets the error of a text that is not JSON.
    return undefined;
  }
}

/** Faults in one line. */
export const listed = (faults: readonly ErrorDetail[]): string =>
  faults
    .slice(0, MAX_FAULTS)
    .map(({ path, message }) => (path === '' ? message : `${path} ${message}`))
    .join('; ');
