import type { Json } from '../../../lib/json';
import type { NodeCase } from '../node-case';

const gives = (title: string, template: string, data: Json, text: string, escape?: string): NodeCase => ({
  title,
  input: { template, data, ...(escape === undefined ? {} : { escape }) },
  outcome: { kind: 'done', output: { text } },
});
const refuses = (
  title: string,
  template: string,
  message: string,
  code = 'invalid_config',
  data: Json = {},
): NodeCase => ({
  title,
  input: { template, data },
  outcome: { kind: 'fail', error: { code, message }, retryable: false },
});

const RANGE = Array.from({ length: 200 }, (_, index) => index);

export const cases: NodeCase[] = [
  gives(
    'values are put in, safe for HTML',
    'Hi <% a %>, <%& a %>!',
    { a: '<b title="x">\'' },
    'Hi &lt;b title=&quot;x&quot;&gt;&#39;, <b title="x">\'!',
  ),
  gives('or as they are', '<%a%>', { a: '<b>' }, '<b>', 'none'),
  gives(
    'values of all types',
    '<% n %>|<% t %>|<% z %>|<% o %>|<% l[1].x %>|<% no.where %>',
    { n: 1.5, t: true, z: null, o: [1], l: [0, { x: 'y' }] },
    '1.5|true||[1]|y|',
  ),
  gives(
    'lists repeat, lines of tags alone vanish',
    'A\n  <%# l %>\n- <% n %>\n<%/ l %>\nZ',
    { l: [{ n: 1 }, { n: 2 }] },
    'A\n- 1\n- 2\nZ',
  ),
  gives(
    'items may be values, and know their place',
    '<%#l%><%@index%>:<%.%><%^@last%>, <%/@last%><%/l%>',
    { l: ['a', 'b'] },
    '0:a, 1:b',
  ),
  gives('what is empty', '<%^l%>none<%/l%><%#l%>some<%/l%><%#z%>0<%/z%>', { l: [], z: 0 }, 'none'),
  gives(
    'names are looked for outwards',
    '<%#a%><%#b%><% c %><% d %><%/b%><%/a%>',
    { d: 1, a: { c: 2, b: { c: 3 } } },
    '31',
  ),
  gives('an object is entered', '<%#a%><%b%><%/a%>', { a: { b: 1 } }, '1'),
  gives('remarks vanish', 'a<%! b %>\n<%! c\nd %>\ne', {}, 'a\ne'),
  gives('braces are text', '{{#a}}<% a %>', { a: 1 }, '{{#a}}1'),
  gives('inherited names are nothing', '<% constructor %><%#toString%>x<%/toString%><% a.length %>', { a: 'b' }, ''),
  gives('the data may be a list', '<%#.%><%.%>;<%/.%>', [1, 2], '1;2;'),
  gives('without data there is nothing', 'a<% b %>', {}, 'a'),
  refuses('a section that is never closed', 'a\n<%#b%>', 'line 2: the section "b" is never closed'),
  refuses('a section that was never opened', '<%#a%>\n<%/b%>', 'line 2: "/b" closes no section'),
  refuses('a tag that is never closed', '\n\n<% a', 'line 3: the tag is never closed'),
  refuses('templates from elsewhere', '<%> other %>', 'tags with > are not known'),
  refuses('what is no name', '<% a b[ %>', 'line 1: "a b[" is not the name'),
  refuses('sections very deep inside each other', '<%#a%>'.repeat(60), 'nested more than 50 deep'),
  refuses('texts that multiply', '<%#l%><%t%><%/l%>', 'larger than 1 MiB', 'too_large', {
    l: RANGE,
    t: 'x'.repeat(10_000),
  }),
];
