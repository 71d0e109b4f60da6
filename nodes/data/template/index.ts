import type { ConfigFinding } from '../../../dsl';
import type { Json, JsonObject } from '../../../lib/json';
import { defineNode } from '../../contract/define';
import { anyValue, choice, objectSchema, text } from '../../schema';
import { Budget } from '../budget';
import { computed } from '../computed';
import { faultsIn } from '../readings';
import { parseTemplate } from './parse';
import { escapeHtml, renderTemplate } from './render';

/** Tags and sections that cannot be read. */
const check = ({ template }: JsonObject): ConfigFinding[] => faultsIn([['template', template, parseTemplate]]);

/** The input, validated by the schema. */
interface TemplateInput {
  template: string;
  data?: Json;
  escape?: 'html' | 'none';
}

/** Fills a template with data. */
const run = computed('template', (input) => {
  // The runtime has checked the input against the input schema.
  const { template, data = {}, escape = 'html' } = input as unknown as TemplateInput;
  const escaped = escape === 'html' ? escapeHtml : (text: string): string => text;
  return { text: renderTemplate(parseTemplate(template), data, escaped, new Budget()) };
});

export const templateNode = defineNode({
  type: 'template',
  title: 'Template',
  description:
    'Renders a template with data: Mustache with <% and %> as delimiters, because {{ and }} are expressions.',
  category: 'Data',
  effect: 'pure',
  input: objectSchema(
    {
      template: text(
        '<% name %> inserts a value, <%& name %> without escaping; <%# list %> … <%/ list %> repeats for each item, or renders if not empty; <%^ list %> … <%/ list %> renders if empty; <%. %> is the item; <% @index %>, <%# @first %> and <%# @last %> are its position; <%! comment %>.',
        'Dear <% name %>,\n<%# items %>\n- <% title %>\n<%/ items %>\n',
      ),
      data: anyValue('Data for the template.', { name: 'Ada', items: [{ title: 'Pen' }] }, { default: {} }),
      escape: choice(['html', 'none'], '`html` escapes values for HTML; `none` is for plain text.', {
        default: 'html',
      }),
    },
    ['template'],
  ),
  output: objectSchema({ text: text('Rendered template.') }, ['text']),
  check,
  run,
});
