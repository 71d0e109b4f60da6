import { defineNode } from '../../contract/define';
import { objectSchema, requiredWhen } from '../../schema';
import { run } from './run';

export const markdownNode = defineNode({
  type: 'markdown',
  title: 'Markdown',
  description: 'Converts Markdown (CommonMark with tables and strikethrough) to HTML, and HTML to Markdown.',
  category: 'Data',
  effect: 'pure',
  input: objectSchema(
    {
      operation: {
        type: 'string',
        title: 'Operation',
        description: '`to_html` reads `text`; `from_html` reads `html`.',
        enum: ['to_html', 'from_html'],
        examples: ['to_html'],
      },
      text: {
        type: 'string',
        title: 'Text',
        description: 'Markdown, at most 64 KiB.',
        examples: ['# Report\n\nAll **well**.'],
      },
      html: {
        type: 'string',
        title: 'HTML',
        description: 'HTML, at most 512 KiB. Scripts, styles and invisible elements are ignored.',
        examples: ['<h1>Report</h1>'],
      },
      breaks: {
        type: 'boolean',
        title: 'Keep line breaks',
        description: 'Converts line breaks in the text to line breaks in the HTML.',
        default: false,
      },
      allow_html: {
        type: 'boolean',
        title: 'Allow HTML',
        description: 'Keeps HTML in the text. Do not use it for untrusted text. False: HTML is shown as text.',
        default: false,
      },
    },
    ['operation'],
    requiredWhen('operation', { to_html: ['text'], from_html: ['html'] }),
  ),
  output: objectSchema({
    html: { type: 'string', title: 'HTML', description: 'The result of `to_html`.' },
    text: { type: 'string', title: 'Text', description: 'The result of `from_html`.' },
  }),
  run,
});
