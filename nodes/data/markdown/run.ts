import type { JsonObject } from '../../../lib/json';
import { computed } from '../computed';
import { htmlToMarkdown } from './from-html';
import { markdownToHtml } from './to-html';

/** The input, validated by the schema: the fields of the operation are present. */
type MarkdownInput =
  | { operation: 'to_html'; text: string; breaks?: boolean; allow_html?: boolean }
  | { operation: 'from_html'; html: string };

/** Makes HTML of Markdown, or Markdown of HTML. */
export const run = computed('markdown', (given): JsonObject => {
  // The runtime has checked the input against the input schema.
  const input = given as unknown as MarkdownInput;
  if (input.operation === 'from_html') return { text: htmlToMarkdown(input.html) };
  const { text, breaks = false, allow_html = false } = input;
  return { html: markdownToHtml(text, { breaks, html: allow_html }) };
});
