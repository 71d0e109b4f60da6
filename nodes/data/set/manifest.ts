import type { NodeManifest } from '../../manifest';

export const manifest: NodeManifest = {
  type: 'set',
  version: 1,
  title: 'Set',
  description: 'Makes values for later steps: what is configured, with its expressions evaluated, is the output.',
  category: 'Data',
  aliases: ['transform'],
  effect: 'pure',
  onInterrupted: 'retry',
  immediate: true,
  input: {
    type: 'object',
    title: 'Values',
    description: 'Any names and values.',
    examples: [{ total: '{{ steps.fetch.body.price * 1.19 }}' }],
  },
  output: { type: 'object', description: 'The same names, with their values.' },
};
