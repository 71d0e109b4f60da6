import { defineNode } from '../contract/define';
import { done } from '../outcome';

export const setNode = defineNode({
  type: 'set',
  title: 'Set',
  description: 'Makes values for later steps: what is configured, with its expressions evaluated, is the output.',
  category: 'Data',
  aliases: ['transform'],
  effect: 'pure',
  input: {
    type: 'object',
    title: 'Values',
    description: 'Any names and values.',
    examples: [{ total: '{{ steps.fetch.body.price * 1.19 }}' }],
  },
  output: { type: 'object', description: 'The same names, with their values.' },
  /** The resolved configuration is the output. */
  run: ({ input }) => done(input),
});
