import type { NodeCase } from '../node-case';

const toHtml = (title: string, text: string, html: string, options = {}): NodeCase => ({
  title,
  input: { operation: 'to_html', text, ...options },
  outcome: { kind: 'done', output: { html } },
});
const fromHtml = (title: string, html: string, text: string): NodeCase => ({
  title,
  input: { operation: 'from_html', html },
  outcome: { kind: 'done', output: { text } },
});

export const cases: NodeCase[] = [
  toHtml(
    'Markdown becomes HTML',
    '# A\n\n*b* **c** `d` ~~e~~ [f](https://x.example/?a=1&b)\n\n1. g\n',
    '<h1>A</h1>\n<p><em>b</em> <strong>c</strong> <code>d</code> <s>e</s> <a href="https://x.example/?a=1&amp;b">f</a></p>\n<ol>\n<li>g</li>\n</ol>\n',
  ),
  toHtml(
    'tables',
    '| a | b |\n|---|---|\n| 1 | 2 |',
    '<table>\n<thead>\n<tr>\n<th>a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n<td>2</td>\n</tr>\n</tbody>\n</table>\n',
  ),
  toHtml(
    'HTML in the text is shown as text',
    'a <img src=x onerror=alert(1)>\n\n<script>alert(1)</script>',
    '<p>a &lt;img src=x onerror=alert(1)&gt;</p>\n<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n',
  ),
  toHtml('unless it is allowed', 'a <b>c</b>', '<p>a <b>c</b></p>\n', { allow_html: true }),
  toHtml('links that run programs stay text', '[a](javascript:alert(1))', '<p>[a](javascript:alert(1))</p>\n'),
  toHtml('quotes do not leave attributes', '![a"b](x"y)', '<p><img src="x%22y" alt="a&quot;b"></p>\n'),
  toHtml('line breaks flow', 'a\nb', '<p>a\nb</p>\n'),
  toHtml('or stay', 'a\nb', '<p>a<br>\nb</p>\n', { breaks: true }),
  {
    title: 'more than 64 KiB are refused',
    input: { operation: 'to_html', text: 'a'.repeat(64 * 1024 + 1) },
    outcome: { kind: 'fail', error: { code: 'too_large', message: '64 KiB' }, retryable: false },
  },
  fromHtml(
    'HTML becomes Markdown',
    '<h2>A <em>b</em></h2><p>c <strong>d </strong>e<br>f <code>g`h</code></p><hr><blockquote><p>i</p><p>j</p></blockquote>',
    '## A *b*\n\nc **d** e\\\nf ``g`h``\n\n---\n\n> i\n>\n> j',
  ),
  fromHtml(
    'lists nest and count',
    '<ul><li>a<ul><li>b</li></ul></li><li><p>c</p><p>d</p></li></ul><ul><li>e</li></ul><ol start="3"><li>f</li><li>g</li></ol>',
    '- a\n  - b\n- c\n\n  d\n\n* e\n\n3. f\n4. g',
  ),
  fromHtml(
    'links and images',
    '<a href="/a b?(c)&amp;d" title=\'say "x"\'>e <b>f</b></a> <img src="g.png" alt="h"> wow!<a href="i">j</a>',
    '[e **f**](/a%20b?%28c%29&d "say \\"x\\"") ![h](g.png) wow\\![j](i)',
  ),
  fromHtml('links that run programs are text', '<a href=" JavaScript:alert(1)">a</a><img src="data:x" alt="b">', 'ab'),
  fromHtml(
    'code keeps its lines and language',
    '<pre><code class="hljs language-ts">let a = 1;\n\n  b&lt;c&gt;();\n</code></pre>',
    '```ts\nlet a = 1;\n\n  b<c>();\n```',
  ),
  fromHtml(
    'tables have a head',
    '<table><tr><th>a</th><th>b|c</th></tr><tbody><tr><td>1<br>2</td><td><p>3</p></td></tr><tr><td>4</td></tr></tbody></table>',
    '| a | b\\|c |\n| --- | --- |\n| 1 2 | 3 |\n| 4 |',
  ),
  fromHtml('a table of one column is layout', '<table><tr><td><p>a</p><p>b</p></td></tr></table>', 'a\n\nb'),
  fromHtml('what people do not see is left out', '<style>a{}</style><script>b</script><!-- c --><p>d</p>', 'd'),
  fromHtml(
    'text stays text',
    '<p># a *b* _c_ [d] &lt;e&gt; &amp;amp; `f` g\\h</p>',
    '\\# a \\*b\\* \\_c\\_ \\[d\\] \\<e> \\&amp; \\`f\\` g\\\\h',
  ),
  fromHtml('what begins a block at a line does not', '<p>1. a<br>- b<br>+<br>=</p>', '1\\. a\\\n\\- b\\\n\\+\\\n\\='),
  fromHtml('bold beside bold is one', '<b>a</b><strong>b</strong><i> </i><b><b>c</b></b>', '**ab** **c**'),
  fromHtml('blocks inside lines are blocks', '<span>a<div>b</div>c</span>', 'a\n\nb\n\nc'),
];
