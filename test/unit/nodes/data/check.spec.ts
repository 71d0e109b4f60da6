import type { JsonObject } from '../../../../lib/json';
import { nodes } from '../../../../nodes';

const findings = (type: string, config: JsonObject): string[] =>
  (nodes.types.get(type)?.check?.(config, () => true) ?? []).map(
    ({ kind, path, message }) => `${kind} ${path}: ${message}`,
  );

test.each<[string, JsonObject, string[]]>([
  [
    'filter',
    {
      conditions: [
        { field: 'a..b', operator: 'exists' },
        { operator: 'matches', value: '(?=a)' },
      ],
    },
    ['error conditions[0].field: "a..b"', 'error conditions[1].value: the pattern'],
  ],
  ['sort', { by: [{ field: 'a[' }] }, ['error by[0].field: "a["']],
  ['dedupe', { by: ['a', 'a.'] }, ['error by[1]: "a."']],
  [
    'aggregate',
    { operations: [{ name: 'n', operation: 'sum', field: '.a' }], group_by: ['b]'] },
    ['error operations[0].field: ".a"', 'error group_by[0]: "b]"'],
  ],
  ['json', { path: 'a[x]', fields: [''] }, ['error path: "a[x]"', 'error fields[0]: ""']],
  [
    'html_extract',
    { selectors: { a: { selector: 'b[', fields: { c: { selector: ':what' } } } } },
    ['error selectors.a.selector: "b["', 'error selectors.a.fields.c.selector: ":what"'],
  ],
  ['template', { template: 'a\n<%#b%>' }, ['error template: line 2']],
  [
    'datetime',
    { timezone: 'Mars', format: 'QQ', pattern: 'dd.MM' },
    ['error timezone: ', 'error format: ', 'error pattern: the pattern reads no year'],
  ],
])('a value that %s would refuse in a run is found when a workflow is saved', (type, config, expected) => {
  expect(findings(type, config)).toEqual(expected.map((start) => expect.stringMatching(escaped(start))));
});

test.each<[string, JsonObject]>([
  ['filter', { conditions: [{ field: 'a.{{ trigger.b }}', operator: 'matches', value: '{{ trigger.c }}' }] }],
  ['template', { template: 'Dear {{ trigger.name }}, <%#items%>' }],
  ['datetime', { timezone: '{{ vars.zone }}', format: 'yyyy', pattern: "yyyy 'year'" }],
  ['html_extract', { selectors: '{{ trigger.selectors }}' }],
  ['sort', { by: [1, { field: 2 }] }],
  ['json', { operation: 'parse', text: 'a..b' }],
])('values of %s with expressions or of another type are not checked', (type, config) => {
  expect(findings(type, config)).toEqual([]);
});

const escaped = (text: string): RegExp => new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`);
