import type { Json, JsonObject } from '../../../lib/json';
import type { NodeCase } from '../node-case';

const value = (result: Json): NodeCase['outcome'] => ({ kind: 'done', output: { value: result } });
const text = (result: string): NodeCase['outcome'] => ({ kind: 'done', output: { text: result } });
const refused = (code: string, message: string): NodeCase['outcome'] => ({
  kind: 'fail',
  error: { code, message },
  retryable: false,
});
const json = (source: string): JsonObject => JSON.parse(source) as JsonObject;

const nested = (levels: number, inner: Json): Json => {
  let outer = inner;
  for (let level = 0; level < levels; level++) outer = [outer];
  return outer;
};

export const cases: NodeCase[] = [
  {
    title: 'text becomes a value',
    input: { operation: 'parse', text: ' {"a": [1, null, "x"]} ' },
    outcome: value({ a: [1, null, 'x'] }),
  },
  {
    title: 'names of the language are names',
    input: { operation: 'parse', text: '{"__proto__": {"admin": true}}' },
    outcome: value(json('{"__proto__": {"admin": true}}')),
  },
  {
    title: 'what is no JSON is refused, without quoting it',
    input: { operation: 'parse', text: '{"a": tru}' },
    outcome: refused('invalid_json', 'the text is not JSON'),
  },
  {
    title: 'a text that breaks off is refused',
    input: { operation: 'parse', text: '{"a": ' },
    outcome: refused('invalid_json', 'the text is not JSON'),
  },
  {
    title: 'a number beyond all numbers is refused',
    input: { operation: 'parse', text: '[1e999]' },
    outcome: refused('invalid_json', 'not JSON'),
  },
  {
    title: 'a value nested too deep is refused',
    input: { operation: 'parse', text: '['.repeat(5_000) + ']'.repeat(5_000) },
    outcome: refused('too_large', 'nested too deep'),
  },
  {
    title: 'a value becomes text',
    input: { operation: 'stringify', value: { b: 1, a: [true] } },
    outcome: text('{"b":1,"a":[true]}'),
  },
  {
    title: 'text may be laid out, its keys in order',
    input: { operation: 'stringify', value: { b: { d: 1, c: 2 }, a: 1 }, indent: 2, sort_keys: true },
    outcome: text('{\n  "a": 1,\n  "b": {\n    "c": 2,\n    "d": 1\n  }\n}'),
  },
  {
    title: 'a layout that would fill the memory is refused',
    input: { operation: 'stringify', value: nested(150, Array<number>(50_000).fill(1)), indent: 10 },
    outcome: refused('too_large', 'smaller indent'),
  },
  {
    title: 'get follows a path',
    input: { operation: 'get', value: { a: [{ 'b c': 7 }] }, path: "a[0]['b c']" },
    outcome: value(7),
  },
  {
    title: 'where there is nothing, get gives the default',
    input: { operation: 'get', value: { a: null }, path: 'a.b', default: 'none' },
    outcome: value('none'),
  },
  {
    title: 'inherited names are nothing',
    input: { operation: 'get', value: {}, path: 'constructor.name' },
    outcome: value(null),
  },
  {
    title: 'pick keeps members in their objects',
    input: {
      operation: 'pick',
      value: { id: 1, who: { name: 'Ada', mail: 'a@x.org' }, list: [1], more: 2 },
      fields: ['id', 'who.name', 'who.age', 'list.0', 'no.where'],
    },
    outcome: value({ id: 1, who: { name: 'Ada' } }),
  },
  {
    title: 'a member picked whole stays whole',
    input: { operation: 'pick', value: { who: { name: 'Ada', age: 36 } }, fields: ['who', 'who.name'] },
    outcome: value({ who: { name: 'Ada', age: 36 } }),
  },
  {
    title: 'a member picked in part and then whole is whole',
    input: { operation: 'pick', value: { who: { name: 'Ada', age: 36 } }, fields: ['who.name', 'who'] },
    outcome: value({ who: { name: 'Ada', age: 36 } }),
  },
  {
    title: 'pick changes no prototype',
    input: { operation: 'pick', value: json('{"__proto__": {"a": 1, "b": 2}}'), fields: ['__proto__.a'] },
    outcome: value(json('{"__proto__": {"a": 1}}')),
  },
  {
    title: 'omit leaves members out',
    input: {
      operation: 'omit',
      value: { id: 1, who: { name: 'Ada', mail: 'a@x.org' }, more: 2 },
      fields: ['more', 'who.mail', 'who.none', 'id.x'],
    },
    outcome: value({ id: 1, who: { name: 'Ada' } }),
  },
  {
    title: 'only an object has members',
    input: { operation: 'pick', value: [1], fields: ['0'] },
    outcome: refused('invalid_config', '"value" must be an object'),
  },
  {
    title: 'later objects win',
    input: { operation: 'merge', values: [{ a: 1, b: { c: 1 } }, { b: { d: 2 } }, {}] },
    outcome: value({ a: 1, b: { d: 2 } }),
  },
  {
    title: 'objects may be merged at every depth',
    input: { operation: 'merge', deep: true, values: [{ b: { c: 1, l: [1, 2] } }, { b: { d: 2, l: [3] } }] },
    outcome: value({ b: { c: 1, l: [3], d: 2 } }),
  },
  {
    title: 'a merge changes no prototype',
    input: {
      operation: 'merge',
      deep: true,
      values: [json('{"__proto__": {"a": 1}}'), json('{"__proto__": {"b": 2}}')],
    },
    outcome: value(json('{"__proto__": {"a": 1, "b": 2}}')),
  },
  {
    title: 'what is no object cannot be merged',
    input: { operation: 'merge', values: [{}, 'x'] },
    outcome: refused('invalid_config', '"values[1]" must be an object'),
  },
  {
    title: 'what is no path is refused',
    input: { operation: 'omit', value: {}, fields: ['a..b'] },
    outcome: refused('invalid_config', '"a..b" is not the path'),
  },
];
