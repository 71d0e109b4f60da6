import type { JsonObject } from '../../../lib/json';
import type { NodeCase } from '../node-case';

const read = (columns: string[], ...rows: JsonObject[]): NodeCase['outcome'] => ({
  kind: 'done',
  output: { columns, rows, count: rows.length },
});
const written = (text: string, count: number): NodeCase['outcome'] => ({ kind: 'done', output: { text, count } });
const refused = (code: string, message: string): NodeCase['outcome'] => ({
  kind: 'fail',
  error: { code, message },
  retryable: false,
});

export const cases: NodeCase[] = [
  {
    title: 'the header names the columns',
    input: { operation: 'parse', text: 'name,total\r\nAda,12\r\nBo,\r\n' },
    outcome: read(['name', 'total'], { name: 'Ada', total: '12' }, { name: 'Bo', total: '' }),
  },
  {
    title: 'quotes hold delimiters, breaks and quotes',
    input: { operation: 'parse', text: 'a,b\n"x, ""y""\n z",\'q\'\n' },
    outcome: read(['a', 'b'], { a: 'x, "y"\n z', b: "'q'" }),
  },
  {
    title: 'a quote inside a cell is a character',
    input: { operation: 'parse', text: 'a\n5" pipe' },
    outcome: read(['a'], { a: '5" pipe' }),
  },
  {
    title: 'byte-order mark and blank lines are not read',
    input: { operation: 'parse', text: '\ufeffa\n\n1\n\r\n""\n' },
    outcome: read(['a'], { a: '1' }, { a: '' }),
  },
  { title: 'nothing has no columns', input: { operation: 'parse', text: '' }, outcome: read([]) },
  {
    title: 'another delimiter, another quote',
    input: { operation: 'parse', text: "a]'b;c'\n1]2", delimiter: ']', quote: "'" },
    outcome: read(['a', 'b;c'], { a: '1', 'b;c': '2' }),
  },
  {
    title: 'without a header rows are lists',
    input: { operation: 'parse', text: '1\t2\n3\n', delimiter: '\t', header: false },
    outcome: { kind: 'done', output: { rows: [['1', '2'], ['3']], count: 2 } },
  },
  {
    title: 'columns may be named from outside',
    input: { operation: 'parse', text: '1,2\n', header: false, columns: ['x', 'y'] },
    outcome: read(['x', 'y'], { x: '1', y: '2' }),
  },
  {
    title: 'columns without a name, or with one that is taken, get one',
    input: { operation: 'parse', text: 'a,,a,a_2\n1,2,3,4' },
    outcome: read(['a', 'column_2', 'a_2', 'a_2_2'], { a: '1', column_2: '2', a_2: '3', a_2_2: '4' }),
  },
  {
    title: 'names of the language are names',
    input: { operation: 'parse', text: '__proto__,constructor\n1,2' },
    outcome: read(['__proto__', 'constructor'], JSON.parse('{"__proto__": "1", "constructor": "2"}') as JsonObject),
  },
  {
    title: 'numbers are read where they are asked for',
    input: { operation: 'parse', text: 'zip,n\n007, -1.5\n008,\n', numbers: ['n'] },
    outcome: read(['zip', 'n'], { zip: '007', n: -1.5 }, { zip: '008', n: null }),
  },
  {
    title: 'what is no number is refused with its line',
    input: { operation: 'parse', text: 'n\n1\nx\n', numbers: ['n'] },
    outcome: refused('invalid_csv', 'line 3 has no number in column "n"'),
  },
  {
    title: 'numbers of a column that is not there are refused',
    input: { operation: 'parse', text: 'n\n1', numbers: ['m'] },
    outcome: refused('invalid_config', '"m"'),
  },
  {
    title: 'an uneven row is refused with its line',
    input: { operation: 'parse', text: 'a,b\n"1\n1",2\n3\n' },
    outcome: refused('invalid_csv', 'line 4 has 1 cells, but there are 2 columns'),
  },
  {
    title: 'line breaks in quotes and blank lines count as lines',
    input: { operation: 'parse', text: 'a,b\r\n"1\r\n1",2\r\n\r\n3\r\n' },
    outcome: refused('invalid_csv', 'line 5 has 1 cells'),
  },
  {
    title: 'unless rows may be uneven',
    input: { operation: 'parse', text: 'a,b\n1\n1,2,3\n', ragged: true },
    outcome: read(['a', 'b', 'column_3'], { a: '1', b: null, column_3: null }, { a: '1', b: '2', column_3: '3' }),
  },
  {
    title: 'a quote that is never closed is refused',
    input: { operation: 'parse', text: 'a\n1\n"2\n' },
    outcome: refused('invalid_csv', 'opens on line 3 is never closed'),
  },
  {
    title: 'quotes of a cell with text after the closing one are characters',
    input: { operation: 'parse', text: 'a\n"1"2' },
    outcome: read(['a'], { a: '"1"2' }),
  },
  {
    title: 'more than 1,000 columns are refused',
    input: { operation: 'parse', text: 'a,'.repeat(1_000) },
    outcome: refused('too_large', 'more than 1000 columns'),
  },
  {
    title: 'delimiter and quote must differ',
    input: { operation: 'parse', text: '', delimiter: '"' },
    outcome: refused('invalid_config', 'must differ'),
  },
  {
    title: 'objects are written by all their keys',
    input: {
      operation: 'stringify',
      rows: [
        { name: 'Ada, "the"', n: 1.5, on: true },
        { name: null, more: { x: [1] } },
      ],
    },
    outcome: written('name,n,on,more\n"Ada, ""the""",1.5,true,\n,,,"{""x"":[1]}"\n', 2),
  },
  {
    title: 'columns choose keys and their order',
    input: { operation: 'stringify', rows: [{ a: 1, b: 2, c: 3 }], columns: ['c', 'a', 'z'], line_end: 'crlf' },
    outcome: written('c,a,z\r\n3,1,\r\n', 1),
  },
  {
    title: 'lists are written cell by cell',
    input: { operation: 'stringify', rows: [[1, 'a;b'], ['']], header: false, delimiter: ';' },
    outcome: written('1;"a;b"\n""\n', 2),
  },
  {
    title: 'inherited names are no cells',
    input: { operation: 'stringify', rows: [{}], columns: ['constructor'] },
    outcome: written('constructor\n""\n', 1),
  },
  {
    title: 'formulas are disarmed on demand, numbers stay',
    input: { operation: 'stringify', header: false, escape_formulas: true, rows: [['=1+1', '-5', '@x', -5, '+a']] },
    outcome: written("'=1+1,-5,'@x,-5,'+a\n", 1),
  },
  {
    title: 'what is no row is refused',
    input: { operation: 'stringify', rows: [{}, 1] },
    outcome: refused('invalid_config', 'the one at 1 is neither'),
  },
];
