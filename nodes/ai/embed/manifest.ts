import type { NodeManifest } from '../../manifest';
import { exactlyOneOf, objectSchema } from '../../schema';
import { ANSWERED_BY, MODEL_FIELDS, USAGE_FIELDS } from '../fields';

export const manifest: NodeManifest = {
  type: 'embed',
  version: 1,
  title: 'Embed',
  description: 'Turns texts into vectors, by which their meanings can be compared.',
  category: 'AI',
  effect: 'read',
  onInterrupted: 'retry',
  input: objectSchema(
    {
      ...MODEL_FIELDS,
      model: { ...MODEL_FIELDS.model, description: 'A model for embeddings.', examples: ['text-embedding-3-small'] },
      text: {
        type: 'string',
        title: 'Text',
        description: 'One text.',
        minLength: 1,
        examples: ['{{ trigger.body.q }}'],
      },
      texts: {
        type: 'array',
        title: 'Texts',
        description: 'Several texts.',
        items: { type: 'string', minLength: 1 },
        minItems: 1,
        maxItems: 2_000,
        examples: [['one', 'two']],
      },
    },
    ['model'],
    exactlyOneOf('text', 'texts'),
  ),
  output: objectSchema(
    {
      embeddings: {
        type: 'array',
        title: 'Embeddings',
        description: 'One vector for each text, in their order.',
        items: { type: 'array', items: { type: 'number' } },
      },
      dimension: { type: 'integer', title: 'Dimension', description: 'Numbers in each vector.' },
      ...ANSWERED_BY,
      ...USAGE_FIELDS,
    },
    ['embeddings', 'dimension', ...Object.keys(ANSWERED_BY), ...Object.keys(USAGE_FIELDS)],
  ),
};
