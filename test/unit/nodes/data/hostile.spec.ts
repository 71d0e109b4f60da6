import type { Json, JsonObject } from '../../../../lib/json';
import type { NodeType } from '../../../../nodes/contract';
import { aggregateNode } from '../../../../nodes/data/aggregate';
import { csvNode } from '../../../../nodes/data/csv';
import { dedupeNode } from '../../../../nodes/data/dedupe';
import { filterNode } from '../../../../nodes/data/filter';
import { htmlExtractNode } from '../../../../nodes/data/html-extract';
import { jsonNode } from '../../../../nodes/data/json';
import { markdownNode } from '../../../../nodes/data/markdown';
import { sortNode } from '../../../../nodes/data/sort';
import { templateNode } from '../../../../nodes/data/template';
import { xmlNode } from '../../../../nodes/data/xml';
import { createContext } from '../context';

/**
 * Inputs that make naive code take minutes or gigabytes. Each is done, or refused as too large, in a time that tells
 * bounded work from unbounded on any machine: milliseconds of processor time, not of the clock.
 */
const MOST_CPU_MS = 10_000;

type Ends = 'done' | 'too_large' | 'invalid_xml' | 'invalid_json' | 'invalid_csv' | 'invalid_config';

const nested = (levels: number, inner: Json): Json => {
  let outer = inner;
  for (let level = 0; level < levels; level++) outer = [outer];
  return outer;
};
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const extract = (html: string, selector: string): JsonObject => ({ html, selectors: { x: { selector, all: true } } });
const toHtml = (text: string): JsonObject => ({ operation: 'to_html', text: text.slice(0, 64 * 1024) });
const fromHtml = (html: string): JsonObject => ({ operation: 'from_html', html });
const parse = (text: string): JsonObject => ({ operation: 'parse', text });
const template = (text: string, data: Json): JsonObject => ({ template: text, data });

const CASES: readonly [string, NodeType, JsonObject, Ends][] = [
  [
    'a search for a text in a long one',
    filterNode,
    {
      items: ['a'.repeat(500_000)],
      conditions: [{ operator: 'contains', value: `${'a'.repeat(450)}b${'a'.repeat(450)}` }],
    },
    'too_large',
  ],
  [
    'a pattern that backtracks elsewhere',
    filterNode,
    { items: ['a'.repeat(100_000)], conditions: [{ operator: 'matches', value: '^(a|aa)+$' }] },
    'done',
  ],
  [
    'a large pattern over a long text',
    filterNode,
    { items: ['a'.repeat(500_000)], conditions: [{ operator: 'matches', value: '(a{1,100}){1,10}b' }] },
    'too_large',
  ],
  [
    'every item in a long list of values',
    filterNode,
    { items: numbers(50_000), conditions: [{ operator: 'in', value: numbers(50_000) }] },
    'done',
  ],
  ['as many comparisons as may be', sortNode, { items: numbers(50_000).reverse() }, 'done'],
  ['texts that differ at their ends', sortNode, { items: numbers(1_000).map((n) => 'a'.repeat(900) + n) }, 'done'],
  [
    'one group for each item',
    aggregateNode,
    { items: numbers(50_000).map(String), group_by: ['x'], operations: [{ name: 'n', operation: 'count' }] },
    'done',
  ],
  ['duplicates of a large item', dedupeNode, { items: Array<string>(1_000).fill('a'.repeat(1_000)) }, 'done'],
  ['items nested deeper than stacks', dedupeNode, { items: [nested(5_000, 1)] }, 'too_large'],
  ['brackets that never close', jsonNode, parse('['.repeat(1_000_000)), 'invalid_json'],
  ['objects in objects in objects', jsonNode, parse('{"a":'.repeat(100_000)), 'invalid_json'],
  [
    'a layout that is all white space',
    jsonNode,
    { operation: 'stringify', indent: 10, value: nested(150, numbers(50_000)) },
    'too_large',
  ],
  ['quotes without an end', csvNode, parse('"'.repeat(999_999)), 'invalid_csv'],
  ['a million cells', csvNode, { ...parse(','.repeat(1_000_000)), header: false }, 'too_large'],
  ['a million lines', csvNode, { ...parse('\n'.repeat(1_000_000)), header: false }, 'done'],
  ['columns of one name', csvNode, parse(`${'a,'.repeat(999)}a\n`), 'done'],
  [
    'one wide row among very many narrow ones',
    csvNode,
    { ...parse(`a\n${'1\n'.repeat(100_000)}${','.repeat(900)}`), ragged: true },
    'too_large',
  ],
  [
    'entities that double',
    xmlNode,
    parse(
      `<!DOCTYPE a [${numbers(30)
        .map((n) => `<!ENTITY e${n + 1} "&e${n};&e${n};">`)
        .join('')}]><a>&e30;</a>`,
    ),
    'invalid_xml',
  ],
  [
    'an element with very many attributes',
    xmlNode,
    parse(
      `<a ${numbers(30_000)
        .map((n) => `a${n}="1"`)
        .join(' ')}/>`,
    ),
    'done',
  ],
  ['elements without number', xmlNode, parse(`<a>${'<b/>'.repeat(60_000)}</a>`), 'too_large'],
  ['elements in elements', xmlNode, parse('<a>'.repeat(100_000)), 'too_large'],
  [
    'XML that is all indentation',
    xmlNode,
    { operation: 'build', indent: 8, value: { a: xmlDepth(140, numbers(20_000)) } },
    'too_large',
  ],
  ['elements without number in HTML', htmlExtractNode, extract('<b></b>'.repeat(40_000), 'b'), 'too_large'],
  ['elements in elements in HTML', htmlExtractNode, extract('<div>'.repeat(100_000), 'div'), 'too_large'],
  ['ends of what never began', htmlExtractNode, extract('<a>'.repeat(290) + '</b>'.repeat(120_000), 'a'), 'done'],
  [
    'siblings of siblings of siblings',
    htmlExtractNode,
    extract('<b></b>'.repeat(29_000), 'i ~ * ~ * ~ * ~ b'),
    'too_large',
  ],
  [
    'children counted from behind',
    htmlExtractNode,
    extract('<b></b>'.repeat(29_000), 'b:nth-last-child(3n of b)'),
    'too_large',
  ],
  [
    'ancestors of ancestors',
    htmlExtractNode,
    extract('<div>'.repeat(290) + '<i></i>'.repeat(20_000), 'x * * * * * * * i'),
    'too_large',
  ],
  [
    'what has what has',
    htmlExtractNode,
    extract('<div>'.repeat(290) + '<i></i>'.repeat(20_000), ':has(:has(:has(x)))'),
    'too_large',
  ],
  [
    'the text of every element',
    htmlExtractNode,
    extract('<div>'.repeat(290) + 'a'.repeat(100_000), 'div'),
    'too_large',
  ],
  [
    'elements by their text',
    htmlExtractNode,
    extract('<div>'.repeat(290) + 'a'.repeat(100_000), 'div:contains("ab")'),
    'done',
  ],
  ['brackets in Markdown', markdownNode, toHtml('['.repeat(70_000)), 'too_large'],
  ['images in images', markdownNode, toHtml('![['.repeat(30_000)), 'too_large'],
  ['stars and strokes', markdownNode, toHtml('*a _b '.repeat(20_000)), 'done'],
  ['quotations in quotations', markdownNode, toHtml('>'.repeat(70_000)), 'done'],
  [
    'a table of cells',
    markdownNode,
    toHtml(`${'|a'.repeat(5_000)}\n${'|-'.repeat(5_000)}\n${'|b\n'.repeat(10_000)}`),
    'too_large',
  ],
  [
    'backticks of all lengths',
    markdownNode,
    toHtml(
      numbers(350)
        .map((n) => '`'.repeat(n))
        .join(' '),
    ),
    'done',
  ],
  [
    'quotations around very many lines',
    markdownNode,
    fromHtml('<blockquote>'.repeat(290) + 'x<br>'.repeat(14_000)),
    'too_large',
  ],
  ['bold beside bold', markdownNode, fromHtml('<b>x</b>'.repeat(14_000)), 'done'],
  ['white space without end', markdownNode, fromHtml(`a${' '.repeat(500_000)}b`), 'done'],
  ['backticks in code', markdownNode, fromHtml(`<code>${'` '.repeat(200_000)}</code>`), 'done'],
  [
    'a wide table with very many rows',
    markdownNode,
    fromHtml(`<table><tr>${'<td></td>'.repeat(15_000)}</tr>${'<tr></tr>'.repeat(9_000)}`),
    'done',
  ],
  [
    'lists in lists that multiply',
    templateNode,
    template('<%#l%>'.repeat(5) + 'x' + '<%/l%>'.repeat(5), { l: numbers(200) }),
    'too_large',
  ],
  [
    'lists in lists that multiply to nothing',
    templateNode,
    template('<%#l%>'.repeat(5) + '<%/l%>'.repeat(5), { l: numbers(200) }),
    'too_large',
  ],
  [
    'large values that multiply',
    templateNode,
    template('<%#l%><%t%><%/l%>', { l: numbers(50_000), t: 'x'.repeat(10_000) }),
    'too_large',
  ],
  ['a tag of white space', templateNode, template(`<%${' '.repeat(900_000)}`, {}), 'invalid_config'],
  ['tags without end', templateNode, template('<%a%>'.repeat(150_000), {}), 'done'],
];

/** An element in an element, and so on, around elements. */
function xmlDepth(levels: number, items: Json): Json {
  let inner: Json = { b: items };
  for (let level = 0; level < levels; level++) inner = { c: inner };
  return inner;
}

const named = CASES.map(([title, node, input, ends]) => ({ title, type: node.type, node, input, ends }));

test.each(named)('$type: $title ends in time, as $ends', async ({ node, input, ends }) => {
  const before = process.cpuUsage();
  const outcome = await node.run(createContext(input));
  const used = process.cpuUsage(before);
  expect('error' in outcome ? outcome.error.code : outcome.kind).toBe(ends);
  expect((used.user + used.system) / 1_000).toBeLessThan(MOST_CPU_MS);
});
