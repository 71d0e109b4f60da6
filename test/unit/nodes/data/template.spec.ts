import fc from 'fast-check';
import type { Json, JsonObject } from '../../../../lib/json';
import { toText } from '../../../../dsl';
import { templateNode } from '../../../../nodes/data/template';
import { escapeHtml } from '../../../../nodes/data/template/render';
import { outputOf } from './run';

const mustache = require('mustache') as {
  render(template: string, data: unknown, partials: object, config: object): string;
};

/** Renders as Mustache's own implementation does, but for objects and lists, which it does not write as JSON. */
const theirs = (template: string, data: JsonObject): string =>
  mustache.render(template, data, {}, { tags: ['<%', '%>'], escape: (value: Json) => escapeHtml(toText(value)) });

const name = fc.constantFrom('a', 'b', 'c');
const text = fc.string({ maxLength: 6, unit: fc.constantFrom('x', ' ', '\t', '\n', '<', '>', '{', '&', '"') });
const { template } = fc.letrec<{ template: string }>((tie) => ({
  template: fc
    .array(
      fc.oneof(
        { maxDepth: 3 },
        text,
        name.map((one) => `<% ${one} %>`),
        fc.constant('<%.%>'),
        fc.constant('<%! a\nremark %>'),
        fc
          .tuple(fc.constantFrom('#', '^'), name, tie('template'))
          .map(([sign, one, inner]) => `<%${sign}${one}%>${inner}<%/${one}%>`),
        fc
          .tuple(fc.constantFrom('#', '^'), name, tie('template'))
          .map(([sign, one, inner]) => `\n  <%${sign} ${one} %>\n${inner}\n\t<%/ ${one} %> \n`),
      ),
      { maxLength: 4 },
    )
    .map((parts) => parts.join('')),
}));
const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>('', 'x<y>&', 0, 1.5, true, false, null),
    // Mustache's own fails at null in a list.
    fc.array(
      tie('value').filter((item) => item !== null),
      { maxLength: 3 },
    ),
    fc.dictionary(name, tie('value'), { maxKeys: 3 }),
  ),
}));
const data = fc.dictionary(name, value).map((given) => JSON.parse(JSON.stringify(given)) as JsonObject);

test('a template is rendered as by Mustache', () => {
  fc.assert(
    fc.property(template, data, (source, given) => {
      expect(outputOf(templateNode, { template: source, data: given })).toEqual({ text: theirs(source, given) });
    }),
    { numRuns: 300 },
  );
});
