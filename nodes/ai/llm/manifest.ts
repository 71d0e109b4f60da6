import type { NodeManifest } from '../../manifest';
import { exactlyOneOf, objectSchema } from '../../schema';
import { ANSWERED_BY, answerSchemaField, MODEL_FIELDS, PROMPT_FIELDS, SAMPLING_FIELDS, USAGE_FIELDS } from '../fields';

export const manifest: NodeManifest = {
  type: 'llm',
  version: 1,
  title: 'Language model',
  description: 'Asks a language model, for text or for data of a given schema.',
  category: 'AI',
  effect: 'read',
  onInterrupted: 'retry',
  input: objectSchema(
    {
      ...MODEL_FIELDS,
      ...PROMPT_FIELDS,
      ...SAMPLING_FIELDS,
      stop: {
        type: 'array',
        title: 'Stop at',
        description: 'Texts at which the answer ends.',
        items: { type: 'string', minLength: 1 },
        maxItems: 4,
        examples: [['END']],
      },
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
      text: { type: 'string', title: 'Text', description: 'The answer as it was written.' },
      data: { title: 'Data', description: 'The answer as data, when a schema was given.' },
      finish_reason: {
        type: 'string',
        title: 'Why it ended',
        description: 'stop, length (cut at the most tokens), content_filter, or another word.',
      },
      ...ANSWERED_BY,
      ...USAGE_FIELDS,
    },
    ['text', 'finish_reason', ...Object.keys(ANSWERED_BY), ...Object.keys(USAGE_FIELDS)],
  ),
};
