import type { LlmRequestedModel } from '../../lib/llm';
import type { NodeContext, Outcome } from '../contract';
import { defineNode } from '../contract/define';
import { exactlyOneOf, filledText, integer, list, objectSchema } from '../schema';
import { ANSWERED_BY, MODEL_FIELDS, USAGE_FIELDS } from './fields';
import { failureOf, isOutcome, modelOf } from './model';
import { usageOf } from './usage';

/** The input, validated by the schema; one of the two is present. */
interface EmbedInput extends LlmRequestedModel {
  text?: string;
  texts?: string[];
}

/** Has the texts made into vectors. */
async function run(ctx: NodeContext): Promise<Outcome> {
  // The runtime has checked the input against the input schema.
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
    return failureOf(fault, ctx.redact);
  }
}

export const embedNode = defineNode({
  type: 'embed',
  title: 'Embed',
  description: 'Converts texts into embedding vectors for comparing their meaning.',
  category: 'AI',
  effect: 'read',
  onInterrupted: 'retry',
  input: objectSchema(
    {
      ...MODEL_FIELDS,
      model: { ...MODEL_FIELDS.model, description: 'An embedding model.', examples: ['text-embedding-3-small'] },
      text: filledText('One text.', '{{ trigger.body.q }}'),
      texts: list({ type: 'string', minLength: 1 }, 'Several texts.', ['one', 'two'], { minItems: 1, maxItems: 2_000 }),
    },
    ['model'],
    exactlyOneOf('text', 'texts'),
  ),
  output: objectSchema(
    {
      embeddings: list({ type: 'array', items: { type: 'number' } }, 'One vector per text, in order.'),
      dimension: integer('Number of dimensions.'),
      ...ANSWERED_BY,
      ...USAGE_FIELDS,
    },
    ['embeddings', 'dimension', ...Object.keys(ANSWERED_BY), ...Object.keys(USAGE_FIELDS)],
  ),
  run,
});
