import type { NodeManifest } from '../../manifest';
import { objectSchema } from '../../schema';

export const manifest: NodeManifest = {
  type: 'log',
  version: 1,
  title: 'Log',
  description: "Writes a line into the run's log. Secrets are masked.",
  category: 'Flow',
  // A line written again after a crash is no harm, so it need not wait for the journal.
  effect: 'pure',
  onInterrupted: 'retry',
  immediate: true,
  input: objectSchema(
    {
      message: {
        title: 'Message',
        description: 'The text; any other value is written as JSON.',
        examples: ['Order {{ trigger.body.id }} came in'],
      },
      level: {
        type: 'string',
        title: 'Level',
        description: 'How much it matters.',
        enum: ['debug', 'info', 'warn', 'error'],
        default: 'info',
      },
      data: { title: 'Data', description: 'Any value to keep beside the text.' },
    },
    ['message'],
  ),
  output: objectSchema(
    {
      level: { type: 'string', title: 'Level', description: 'The level of the line.' },
      message: { type: 'string', title: 'Message', description: 'As written, masked.' },
    },
    ['level', 'message'],
  ),
};
