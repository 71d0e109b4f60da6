import type { JsonObject } from '../../../lib/json';
import { type LlmAnswer, type LlmAsked, type LlmRequest, textOf } from '../../../lib/llm';
import type { NodeContext, Outcome } from '../../contract';
import { invalidConfig } from '../../outcome';
import { conversationOf, type Said } from '../messages';
import { failureOf, isOutcome, modelOf, type ModelWorld } from '../model';
import { askForData, dataForm, invalidAnswer } from '../structured';
import { addSpent, NOTHING_SPENT, type Spent, usageOf } from '../usage';

/** A question, as the manifest's schema promises it. */
export interface LlmInput extends LlmAsked, Said {
  temperature?: number;
  max_tokens?: number;
  stop?: string[];
  schema?: JsonObject;
}

/** The runtime has checked the input against the manifest's schema. */
export const run = (ctx: NodeContext): Promise<Outcome> => askModel(ctx.input, ctx);

/** One question, and with a schema one more when the answer does not fit. */
export async function askModel(
  input: LlmInput,
  world: ModelWorld & Pick<NodeContext, 'mask'> & Partial<Pick<NodeContext, 'voice'>>,
): Promise<Outcome> {
  const model = modelOf(input, world);
  if (isOutcome(model)) return model;
  const form = input.schema === undefined ? null : dataForm(input.schema);
  if (form !== null && 'problem' in form) return invalidConfig(`"schema": ${form.problem}`);
  // Data are of use to nobody before they are checked.
  const voice = form === null ? world.voice : null;
  let spent = NOTHING_SPENT;
  const ask = async (request: Pick<LlmRequest, 'messages' | 'schema'>): Promise<LlmAnswer> => {
    const { temperature, max_tokens: maxTokens, stop } = input;
    const asked = await model.ask(
      { ...request, temperature, maxTokens, stop },
      voice ? (text) => voice.say(text) : undefined,
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
    return result.kind === 'data' ? done(result.answer, { data: result.data }) : invalidAnswer(result, world.mask);
  } catch (fault) {
    return failureOf(fault, world.mask);
  }
}

const outputOf = (
  { parts, finish }: LlmAnswer,
  data: JsonObject,
  { provider, model }: { provider: string; model: string },
  spent: Spent,
): JsonObject => ({ text: textOf(parts), ...data, finish_reason: finish, provider, model, ...spent });
