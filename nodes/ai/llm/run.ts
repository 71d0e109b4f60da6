import type { JsonObject } from '../../../lib/json';
import { type LlmAnswer, type LlmAsked, type LlmRequest, textOf } from '../../../lib/llm';
import type { NodeContext, Outcome } from '../../contract';
import { invalidConfig } from '../../outcome';
import { conversationOf, type Said } from '../messages';
import { failureOf, isOutcome, modelOf } from '../model';
import { askForData, dataForm, invalidAnswer } from '../structured';
import { addSpent, NOTHING_SPENT, type Spent, usageOf } from '../usage';

/** The input as its schema promises it. */
interface LlmInput extends LlmAsked, Said {
  temperature?: number;
  max_tokens?: number;
  stop?: string[];
  schema?: JsonObject;
}

/** One question, and with a schema one more when the answer does not fit. */
export async function run(ctx: NodeContext): Promise<Outcome> {
  // The runtime has checked the input against the manifest's schema.
  const input = ctx.input as unknown as LlmInput;
  const model = modelOf(input, ctx);
  if (isOutcome(model)) return model;
  const form = input.schema === undefined ? null : dataForm(input.schema);
  if (form !== null && 'problem' in form) return invalidConfig(`"schema": ${form.problem}`);
  let spent = NOTHING_SPENT;
  const ask = async (request: Pick<LlmRequest, 'messages' | 'schema'>): Promise<LlmAnswer> => {
    const { temperature, max_tokens: maxTokens, stop } = input;
    const asked = await model.ask({ ...request, temperature, maxTokens, stop });
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
    return result.kind === 'data' ? done(result.answer, { data: result.data }) : invalidAnswer(result, ctx.mask);
  } catch (fault) {
    return failureOf(fault, ctx.mask);
  }
}

const outputOf = (
  { parts, finish }: LlmAnswer,
  data: JsonObject,
  { provider, model }: { provider: string; model: string },
  spent: Spent,
): JsonObject => ({ text: textOf(parts), ...data, finish_reason: finish, provider, model, ...spent });
