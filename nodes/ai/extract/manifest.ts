import type { NodeManifest } from '../../manifest';
import { objectSchema } from '../../schema';
import { ANSWERED_BY, answerSchemaField, MODEL_FIELDS, USAGE_FIELDS } from '../fields';

export const manifest: NodeManifest = {
  type: 'extract',
  version: 1,
  title: 'Extract',
  description: 'Takes data of a given schema out of a text, with a language model.',
  category: 'AI',
  effect: 'read',
  onInterrupted: 'retry',
  input: objectSchema(
    {
      ...MODEL_FIELDS,
      text: {
        type: 'string',
        title: 'Text',
        description: 'Where the data are.',
        minLength: 1,
        examples: ['{{ trigger.body.mail }}'],
      },
      schema: answerSchemaField('Schema', 'What to take out; descriptions of its members help the model.'),
      instructions: {
        type: 'string',
        title: 'Instructions',
        description: 'What the schema does not say.',
        examples: ['Amounts in EUR.'],
      },
    },
    ['text', 'schema'],
  ),
  output: objectSchema(
    {
      data: { title: 'Data', description: 'What was found, of the given schema.' },
      ...ANSWERED_BY,
      ...USAGE_FIELDS,
    },
    ['data', ...Object.keys(ANSWERED_BY), ...Object.keys(USAGE_FIELDS)],
  ),
};
