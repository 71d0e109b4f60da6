import type { LlmAsked } from '../../../lib/llm';
import type { NodeContext, Outcome } from '../../contract';
import { failureOf, isOutcome, modelOf } from '../model';
import { usageOf } from '../usage';

/** The input as its schema promises it; one of the two is there. */
interface EmbedInput extends LlmAsked {
  text?: string;
  texts?: string[];
}

/** Has the texts made into vectors. */
export async function run(ctx: NodeContext): Promise<Outcome> {
  // The runtime has checked the input against the manifest's schema.
  const input = ctx.input as unknown as EmbedInput;
  const model = modelOf(input, ctx);
  if (isOutcome(model)) return model;
  try {
    const { embeddings, spent } = await model.embed(input.texts ?? [input.text ?? '']);
    const { provider, model: name } = model.access;
    const dimension = embeddings[0]?.length ?? 0;
    return {
      kind: 'done',
      output: { embeddings: [...embeddings], dimension, provider, model: name, ...spent },
      usage: usageOf(spent),
    };
  } catch (fault) {
    return failureOf(fault, ctx.mask);
  }
}
