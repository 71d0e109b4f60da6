import { defineNode } from '../contract/define';
import { done } from '../outcome';

export const setNode = defineNode({
  type: 'set',
  title: 'Set',
  description: 'Sets values for later steps: the output is the configuration with evaluated expressions.',
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
