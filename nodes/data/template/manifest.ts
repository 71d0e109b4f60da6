import type { NodeManifest } from '../../manifest';
import { objectSchema } from '../../schema';

export const manifest: NodeManifest = {
  type: 'template',
  version: 1,
  title: 'Template',
  description:
    'Fills a text with data, over lists too: Mustache with <% and %> around its tags, since {{ and }} are expressions.',
  category: 'Data',
  effect: 'pure',
  onInterrupted: 'retry',
  immediate: true,
  input: objectSchema(
    {
      template: {
        type: 'string',
        title: 'Template',
        description:
          '<% name %> puts in a value, <%& name %> without escaping; <%# list %> … <%/ list %> repeats for each item, and for what is not empty; <%^ list %> … <%/ list %> is for what is; <%. %> is the item, <% @index %>, <%# @first %> and <%# @last %> its place; <%! a remark %>.',
        examples: ['Dear <% name %>,\n<%# items %>\n- <% title %>\n<%/ items %>\n'],
      },
      data: {
        title: 'Data',
        description: 'What the names stand for.',
        default: {},
        examples: [{ name: 'Ada', items: [{ title: 'Pen' }] }],
      },
      escape: {
        type: 'string',
        title: 'Escape',
        description: '`html` makes values safe inside HTML; `none` is for plain text.',
        enum: ['html', 'none'],
        default: 'html',
      },
    },
    ['template'],
  ),
  output: objectSchema({ text: { type: 'string', title: 'Text', description: 'The filled template.' } }, ['text']),
};
