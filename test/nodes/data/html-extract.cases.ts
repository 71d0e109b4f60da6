import type { Json, JsonObject } from '../../../lib/json';
import type { NodeCase } from '../node-case';

const PAGE = `<!doctype html><html><head><title>Shop</title><style>h1 { color: red }</style></head>
<body><h1 class="a b">  All &amp; <b>more</b><br>things</h1>
<script>document.write('<h1>no</h1>')</script><!-- <h1>no</h1> -->
<ul><li class=item data-id="1"><h2>Pen</h2><a href="/pen?a=1&amp;b=2">see</a>
<li class=item><h2>Ink</h2><p>black<p>blue</ul></body></html>`;

const refused = (code: string, message: string): NodeCase['outcome'] => ({
  kind: 'fail',
  error: { code, message },
  retryable: false,
});

/** What one selector makes of the page. */
const finds = (title: string, extraction: JsonObject, found: Json, html = PAGE): NodeCase => ({
  title,
  input: { html, selectors: { x: extraction } },
  outcome: { kind: 'done', output: { x: found } },
});

const refuses = (title: string, html: string, selector: string, code: string, message: string): NodeCase => ({
  title,
  input: { html, selectors: { x: { selector } } },
  outcome: refused(code, message),
});

export const cases: NodeCase[] = [
  finds('text is what people see', { selector: 'h1' }, 'All & more things'),
  finds('text of blocks does not run together', { selector: 'ul' }, 'Pen see Ink black blue'),
  finds('scripts, styles and comments are no text', { selector: 'body' }, 'All & more things Pen see Ink black blue'),
  finds('what is not seen can be asked for', { selector: 'title' }, 'Shop'),
  finds('the HTML inside', { selector: 'h1', as: 'html' }, '  All &amp; <b>more</b><br>things'),
  finds('an attribute', { selector: 'li a', attribute: 'HREF' }, '/pen?a=1&b=2'),
  finds('an attribute of all', { selector: '.item', attribute: 'data-id', all: true }, ['1', null]),
  finds('nothing is null', { selector: 'h7' }, null),
  finds('nothing of all is an empty list', { selector: 'h7', all: true }, []),
  finds('selectors may be involved', { selector: 'li:nth-child(2) > p + p, li:has(a) > h2', all: true }, [
    'Pen',
    'blue',
  ]),
  finds('inherited names are no attributes', { selector: 'h1', attribute: 'constructor' }, null),
  finds(
    'fields make objects',
    { selector: '.item', all: true, fields: { name: { selector: 'h2' }, link: { selector: 'a', attribute: 'href' } } },
    [
      { name: 'Pen', link: '/pen?a=1&b=2' },
      { name: 'Ink', link: null },
    ],
  ),
  finds(
    'raw text is not escaped',
    { selector: 'div', as: 'html' },
    '<script>a<b</script>',
    '<div><script>a<b</script>',
  ),
  finds('broken HTML is read', { selector: 'i' }, 'b', '<p><b>a<i>b</p></b><div'),
  {
    title: 'names of the language are names',
    input: { html: '<p>a', selectors: JSON.parse('{"__proto__": {"selector": "p"}}') as JsonObject },
    outcome: { kind: 'done', output: JSON.parse('{"__proto__": "a"}') as JsonObject },
  },
  refuses('what is no selector is refused', PAGE, 'li[', 'invalid_config', '"li[" is not a CSS selector'),
  refuses('pseudo-classes that are not there are refused', PAGE, 'a:blue', 'invalid_config', 'not a CSS selector'),
  refuses('more than 512 KiB are refused', 'x'.repeat(512 * 1024 + 1), 'p', 'too_large', '512 KiB'),
  refuses('deep nesting is refused', '<div>'.repeat(301), 'p', 'too_large', 'nested more than 300 deep'),
];
