import type { NodeManifest } from '../../manifest';
import { objectSchema } from '../../schema';
import { ANSWERED_BY, MODEL_FIELDS, USAGE_FIELDS } from '../fields';

export const manifest: NodeManifest = {
  type: 'classify',
  version: 1,
  title: 'Classify',
  description: 'Sorts a text into one or more of given categories, with a language model.',
  category: 'AI',
  effect: 'read',
  onInterrupted: 'retry',
  input: objectSchema(
    {
      ...MODEL_FIELDS,
      text: {
        type: 'string',
        title: 'Text',
        description: 'What is to be sorted.',
        minLength: 1,
        examples: ['{{ trigger.body.subject }}'],
      },
      categories: {
        type: 'array',
        title: 'Categories',
        description: 'What there is to choose from.',
        minItems: 2,
        maxItems: 200,
        items: objectSchema(
          {
            name: {
              type: 'string',
              title: 'Name',
              description: 'What comes out when it fits.',
              minLength: 1,
              maxLength: 200,
            },
            description: { type: 'string', title: 'Description', description: 'When it fits.' },
          },
          ['name'],
        ),
        examples: [[{ name: 'invoice', description: 'Asks for money' }, { name: 'other' }]],
      },
      multiple: {
        type: 'boolean',
        title: 'Several',
        description: 'Any number of categories may fit, also none.',
        default: false,
      },
      instructions: {
        type: 'string',
        title: 'Instructions',
        description: 'What the categories do not say.',
        examples: ['When in doubt: other.'],
      },
    },
    ['text', 'categories'],
  ),
  output: objectSchema(
    {
      category: { type: 'string', title: 'Category', description: 'The name of the one that fits.' },
      categories: {
        type: 'array',
        title: 'Categories',
        description: 'The names of those that fit, when several may.',
        items: { type: 'string' },
      },
      confidence: {
        type: 'number',
        title: 'Confidence',
        description: 'From 0 to 1, as the model estimates it: for sorting by, not for reckoning with.',
      },
      reason: { type: 'string', title: 'Reason', description: 'In a sentence of the model.' },
      ...ANSWERED_BY,
      ...USAGE_FIELDS,
    },
    ['confidence', 'reason', ...Object.keys(ANSWERED_BY), ...Object.keys(USAGE_FIELDS)],
  ),
};
