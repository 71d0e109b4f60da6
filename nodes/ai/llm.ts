import type { JsonObject } from '../../lib/json';
import { type LlmAnswer, type LlmRequestedModel, type LlmRequest, textOf } from '../../lib/llm';
import type { NodeContext, Outcome } from '../contract';
import { defineNode } from '../contract/define';
import { invalidConfig } from '../outcome';
import { anyValue, exactlyOneOf, list, objectSchema, text } from '../schema';
import { ANSWERED_BY, answerSchemaField, MODEL_FIELDS, PROMPT_FIELDS, SAMPLING_FIELDS, USAGE_FIELDS } from './fields';
import { conversationOf, type Conversation } from './messages';
import { failureOf, isOutcome, modelOf, type ModelContext } from './model';
import { askForData, dataForm, invalidAnswer } from './structured';
import { addSpent, NOTHING_SPENT, type UsageTotals, usageOf } from './usage';

/** The input, validated by the schema. */
export interface LlmInput extends LlmRequestedModel, Conversation {
  temperature?: number;
  max_tokens?: number;
  stop?: string[];
  schema?: JsonObject;
}

/** The runtime has checked the input against the input schema. */
const run = (ctx: NodeContext): Promise<Outcome> => askModel(ctx.input, ctx);

/** One question, and with a schema one more when the answer does not fit. */
export async function askModel(
  input: LlmInput,
  world: ModelContext & Pick<NodeContext, 'redact'> & Partial<Pick<NodeContext, 'stream'>>,
): Promise<Outcome> {
  const model = modelOf(input, world);
  if (isOutcome(model)) return model;
  const form = input.schema === undefined ? null : await dataForm(world.capabilities.compute, input.schema);
  if (form !== null && 'problem' in form) return invalidConfig(`"schema": ${form.problem}`);
  // Data are not streamed before they are checked.
  const voice = form === null ? world.stream : null;
  let spent = NOTHING_SPENT;
  const ask = async (request: Pick<LlmRequest, 'messages' | 'schema'>): Promise<LlmAnswer> => {
    const { temperature, max_tokens: maxTokens, stop } = input;
    const asked = await model.ask(
      { ...request, temperature, maxTokens, stop },
      voice ? (text) => voice.write(text) : undefined,
    );
    spent = addSpent(spent, asked.spent);
    return asked.answer;
  };
  const done = (answer: LlmAnswer, data: JsonObject): Outcome => ({
    kind: 'done',
    output: outputOf(answer, data, model.access, spent),
    usage: usageOf(spent),
  });
  try {
    const messages = conversationOf(input);
    if (form === null) return done(await ask({ messages }), {});
    const result = await askForData(ask, messages, form);
    return result.kind === 'data' ? done(result.answer, { data: result.data }) : invalidAnswer(result, world.redact);
  } catch (fault) {
    return failureOf(fault, world.redact);
  }
}

const outputOf = (
  { parts, finish }: LlmAnswer,
  data: JsonObject,
  { provider, model }: { provider: string; model: string },
  spent: UsageTotals,
): JsonObject => ({ text: textOf(parts), ...data, finish_reason: finish, provider, model, ...spent });

export const llmNode = defineNode({
  type: 'llm',
  title: 'Language model',
  description: 'Sends a prompt to a language model and returns text, or data that match a schema.',
  category: 'AI',
  effect: 'read',
  onInterrupted: 'retry',
  input: objectSchema(
    {
      ...MODEL_FIELDS,
      ...PROMPT_FIELDS,
      ...SAMPLING_FIELDS,
      stop: list({ type: 'string', minLength: 1 }, 'Texts at which the answer ends.', ['END'], {
        title: 'Stop sequences',
        maxItems: 4,
      }),
      schema: answerSchemaField(
        'Schema of the answer',
        'With it the answer is data, checked; a wrong answer is sent back once, with its faults.',
      ),
    },
    [],
    exactlyOneOf('prompt', 'messages'),
  ),
  output: objectSchema(
    {
      text: text('Answer as text.'),
      data: anyValue('Answer as data, if a schema is given.'),
      finish_reason: text(
        'stop, length (the token limit was reached), content_filter, or another reason of the provider.',
      ),
      ...ANSWERED_BY,
      ...USAGE_FIELDS,
    },
    ['text', 'finish_reason', ...Object.keys(ANSWERED_BY), ...Object.keys(USAGE_FIELDS)],
  ),
  run,
});
