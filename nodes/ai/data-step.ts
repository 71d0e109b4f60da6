import type { Json, JsonObject } from '../../lib/json';
import type { LlmRequestedModel, LlmMessage } from '../../lib/llm';
import type { NodeContext, Outcome } from '../contract';
import { invalidConfig } from '../outcome';
import { failureOf, isOutcome, modelOf } from './model';
import { askForData, dataForm, invalidAnswer } from './structured';
import { addSpent, NOTHING_SPENT, usageOf } from './usage';

/** A step that requests data with a schema; `outputOf` makes its output. */
export async function dataStep(
  ctx: NodeContext,
  asked: LlmRequestedModel,
  schema: JsonObject,
  messages: readonly LlmMessage[],
  outputOf: (data: Json) => JsonObject,
): Promise<Outcome> {
  const model = modelOf(asked, ctx);
  if (isOutcome(model)) return model;
  const form = await dataForm(ctx.capabilities.compute, schema);
  if ('problem' in form) return invalidConfig(`"schema": ${form.problem}`);
  let spent = NOTHING_SPENT;
  try {
    const result = await askForData(
      async (request) => {
        const reply = await model.ask(request);
        spent = addSpent(spent, reply.spent);
        return reply.answer;
      },
      messages,
      form,
    );
    if (result.kind === 'fault') return invalidAnswer(result, ctx.redact);
    const { provider, model: name } = model.access;
    return {
      kind: 'done',
      output: { ...outputOf(result.data), provider, model: name, ...spent },
      usage: usageOf(spent),
    };
  } catch (fault) {
    return failureOf(fault, ctx.redact);
  }
}
