import { defineNode } from '../../contract/define';
import { choice, flag, objectSchema, requiredWhen, text } from '../../schema';
import { run } from './run';

export const markdownNode = defineNode({
  type: 'markdown',
  title: 'Markdown',
  description: 'Converts Markdown (CommonMark with tables and strikethrough) to HTML, and HTML to Markdown.',
  category: 'Data',
  effect: 'pure',
  input: objectSchema(
    {
      operation: choice(['to_html', 'from_html'], '`to_html` reads `text`; `from_html` reads `html`.', {
        examples: ['to_html'],
      }),
      text: text('Markdown, at most 64 KiB.', '# Report\n\nAll **well**.'),
      html: text('HTML, at most 512 KiB. Scripts, styles and invisible elements are ignored.', '<h1>Report</h1>'),
      breaks: flag('Converts line breaks in the text to line breaks in the HTML.', {
        title: 'Keep line breaks',
        default: false,
      }),
      allow_html: flag('Keeps HTML in the text. Do not use it for untrusted text. False: HTML is shown as text.', {
        default: false,
      }),
    },
    ['operation'],
    requiredWhen('operation', { to_html: ['text'], from_html: ['html'] }),
  ),
  output: objectSchema({
    html: text('The result of `to_html`.'),
    text: text('The result of `from_html`.'),
  }),
  run,
});
