import type { JsonObject } from '../../../lib/json';
import { CASE_SECRET, type NodeCase } from '../node-case';

const read = (value: JsonObject): NodeCase['outcome'] => ({ kind: 'done', output: { value } });
const written = (text: string): NodeCase['outcome'] => ({ kind: 'done', output: { text } });
const refused = (code: string, message: string): NodeCase['outcome'] => ({
  kind: 'fail',
  error: { code, message },
  retryable: false,
});

const BOMB = `<!DOCTYPE l [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;">]><l>&b;</l>`;
const LEAK = `<!DOCTYPE l [<!ENTITY a SYSTEM "file:///etc/passwd">]><l>&a;</l>`;

export const cases: NodeCase[] = [
  {
    title: 'elements, attributes and text become members',
    input: {
      operation: 'parse',
      text: '<?xml version="1.0"?><o id="7"><n>Ada &amp; Bo</n><t cur="EUR"> 12 </t><e/><![CDATA[ <raw> ]]></o><!-- -->',
    },
    outcome: read({ o: { '@id': '7', n: 'Ada & Bo', t: { '@cur': 'EUR', '#text': '12' }, e: '', '#text': '<raw>' } }),
  },
  {
    title: 'elements of one name are a list, some always',
    input: { operation: 'parse', text: '<l><a>1</a><b>2</b><a>3</a></l>', lists: ['b'] },
    outcome: read({ l: { a: ['1', '3'], b: ['2'] } }),
  },
  {
    title: 'white space may be kept, but not that between elements',
    input: { operation: 'parse', text: '<l>\n  <a> 1 </a>\n</l>', trim: false },
    outcome: read({ l: { a: ' 1 ' } }),
  },
  {
    title: 'prefixes stay in names',
    input: { operation: 'parse', text: '<s:e xmlns:s="urn:x"><s:b>1</s:b></s:e>' },
    outcome: read({ 's:e': { '@xmlns:s': 'urn:x', 's:b': '1' } }),
  },
  {
    title: 'names of the language are names',
    input: { operation: 'parse', text: '<__proto__ constructor="1"><__proto__>a</__proto__></__proto__>' },
    outcome: read(JSON.parse('{"__proto__": {"@constructor": "1", "__proto__": "a"}}') as JsonObject),
  },
  {
    title: 'a document type without declarations is passed over',
    input: { operation: 'parse', text: '<!DOCTYPE plist PUBLIC "x" "http://x.example/p.dtd"><plist/>' },
    outcome: read({ plist: '' }),
  },
  {
    title: 'entities that expand are refused',
    input: { operation: 'parse', text: BOMB },
    outcome: refused('invalid_xml', 'its own declarations'),
  },
  {
    title: 'entities that read files are refused',
    input: { operation: 'parse', text: LEAK },
    outcome: refused('invalid_xml', 'its own declarations'),
  },
  {
    title: 'unknown entities are refused',
    input: { operation: 'parse', text: '<a>&nbsp;</a>' },
    outcome: refused('invalid_xml', 'the text is not XML: 1:'),
  },
  {
    title: 'what is not well-formed is refused with its place',
    input: { operation: 'parse', text: '<a>\n<b></a>' },
    outcome: refused('invalid_xml', 'the text is not XML: 2:'),
  },
  {
    title: 'a secret is masked in the refusal',
    input: { operation: 'parse', text: `<a></${CASE_SECRET}>` },
    outcome: refused('invalid_xml', 'the text is not XML'),
  },
  { title: 'nothing is no XML', input: { operation: 'parse', text: '' }, outcome: refused('invalid_xml', 'not XML') },
  {
    title: 'deep nesting is refused',
    input: { operation: 'parse', text: '<a>'.repeat(151) },
    outcome: refused('too_large', 'nested more than 150 deep'),
  },
  {
    title: 'members become elements, attributes and text',
    input: {
      operation: 'build',
      value: { o: { '@id': 7, n: 'Ada & "Bo"', i: ['x', null], t: { '@cur': '<"\n', '#text': 12.5 }, on: true } },
    },
    outcome: written(
      '<?xml version="1.0" encoding="UTF-8"?><o id="7"><n>Ada &amp; "Bo"</n><i>x</i><i/><t cur="&lt;&quot;&#10;">12.5</t><on>true</on></o>',
    ),
  },
  {
    title: 'text may be laid out',
    input: { operation: 'build', value: { l: { a: ['1', { b: '2' }] } }, declaration: false, indent: 2 },
    outcome: written('<l>\n  <a>1</a>\n  <a>\n    <b>2</b>\n  </a>\n</l>\n'),
  },
  {
    title: 'there is one root',
    input: { operation: 'build', value: { a: 1, b: 2 } },
    outcome: refused('invalid_config', 'exactly one member'),
  },
  {
    title: 'a list is no root',
    input: { operation: 'build', value: { a: [1] } },
    outcome: refused('invalid_config', 'exactly one member'),
  },
  {
    title: 'names cannot break out',
    input: { operation: 'build', value: { 'a><b': 1 } },
    outcome: refused('invalid_config', 'not a name'),
  },
  {
    title: 'names of attributes cannot break out',
    input: { operation: 'build', value: { a: { '@x="1" y': 1 } } },
    outcome: refused('invalid_config', 'not an attribute'),
  },
  {
    title: 'characters that XML does not have are refused',
    input: { operation: 'build', value: { a: 'x\u0000' } },
    outcome: refused('invalid_config', 'a character that XML does not have'),
  },
  {
    title: 'lists in lists are refused',
    input: { operation: 'build', value: { a: { b: [[1]] } } },
    outcome: refused('invalid_config', 'cannot be a list or an object'),
  },
];
