import type { NodeManifest } from '../../manifest';
import { durationSchema, exactlyOneOf, objectSchema } from '../../schema';

export const manifest: NodeManifest = {
  type: 'wait',
  version: 1,
  title: 'Wait',
  description:
    'Pauses the run for a time, or until an instant. A pause of any length survives restarts and costs nothing.',
  category: 'Flow',
  aliases: ['delay', 'sleep'],
  effect: 'pure',
  onInterrupted: 'retry',
  immediate: true,
  input: objectSchema(
    {
      for: durationSchema('For', 'How long to wait.', '2h'),
      until: {
        type: 'string',
        title: 'Until',
        description: 'The instant to wait for, with its offset from UTC (RFC 3339). One in the past waits for nothing.',
        examples: ['2030-06-01T09:00:00+02:00'],
      },
    },
    [],
    exactlyOneOf('for', 'until'),
  ),
  output: objectSchema({ until: { type: 'string', title: 'Until', description: 'When the wait ended, in UTC.' } }, [
    'until',
  ]),
};
