import type { Json } from '../../../lib/json';
import { Budget } from '../budget';
import { computed } from '../computed';
import { parseTemplate } from './parse';
import { escapeHtml, renderTemplate } from './render';

/** The input as its schema promises it. */
interface TemplateInput {
  template: string;
  data?: Json;
  escape?: 'html' | 'none';
}

/** Fills a template with data. */
export const run = computed((input) => {
  // The runtime has checked the input against the manifest's schema.
  const { template, data = {}, escape = 'html' } = input as unknown as TemplateInput;
  const escaped = escape === 'html' ? escapeHtml : (text: string): string => text;
  return { text: renderTemplate(parseTemplate(template), data, escaped, new Budget()) };
});
