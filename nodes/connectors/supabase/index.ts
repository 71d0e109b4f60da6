import { isObject, type Json, type JsonObject } from '../../../lib/json';
import { field, withHeaders } from '../auth';
import type { Connector, HttpAction } from '../contract';
import { ask, asks, commas, does, hidden, settles, site } from '../define';
import { messageAt } from '../http/fault';
import { byOffset } from '../http/pages';
import { at } from '../http/path';
import { listAs } from '../http/read';
import { siteOf } from '../http/site';
import { codeAt, worded } from '../http/error-text';
import { anything, choice, integer, list, object, outputOf, record, text } from '../schemas';
import { Unusable } from '../unusable';

const TABLE = { table: text('Table', 'A table or view of the schema `public`.', 'orders', { minLength: 1 }) };
const OPERATORS = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'like', 'ilike', 'is', 'in'];
const FILTERS = list(
  object(
    {
      column: text('Column', 'Its name.', 'status', { pattern: '^[A-Za-z_][A-Za-z0-9_$]*$' }),
      operator: choice(OPERATORS, 'Operator', 'How it is compared.'),
      value: anything('Value', 'With what; a list for `in`; null, true or false for `is`.', 'open'),
    },
    'Filter',
    'One condition.',
    { required: ['column', 'operator', 'value'] },
  ),
  'Filters',
  'Conditions that must all be met.',
  [{ column: 'status', operator: 'eq', value: 'open' }],
  { maxItems: 50 },
);
const SOME_FILTERS = { filters: { ...FILTERS, minItems: 1 } };
const ROW = record('Row', 'Values by the names of the columns.', { number: 4711, status: 'open' });
const ROWS = outputOf({
  rows: list(ROW, 'Rows', 'As they are now.'),
  count: integer('Count', 'How many there are.', 1),
});
const REPRESENTED = 'return=representation';
const PAGE = 1000;

/** A value as PostgREST reads it: parts of a list in quotation marks, in which commas and brackets count for nothing. */
const quoted = (value: Json): string => `"${String(value).replace(/["\\]/g, '\\$&')}"`;

function conditionOf({ operator, value }: JsonObject): string {
  if (operator !== 'in') return `${String(operator)}.${String(value)}`;
  if (!Array.isArray(value)) throw new Unusable('the value of a filter with "in" must be a list');
  return `in.(${value.map(quoted).join(',')})`;
}

/** Words of PostgREST's own: as a column they would be no condition at all, and what is deleted by them be everything. */
const RESERVED: ReadonlySet<string> = new Set([
  'select',
  'order',
  'limit',
  'offset',
  'on_conflict',
  'columns',
  'and',
  'or',
  'not',
]);

/** Several conditions on one column are repeated, all of which count. @throws Unusable */
function filtersOf(filters: Json | undefined): Record<string, string[]> {
  const query: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const filter of Array.isArray(filters) ? filters : []) {
    if (!isObject(filter) || typeof filter.column !== 'string') continue;
    if (RESERVED.has(filter.column)) throw new Unusable(`"${filter.column}" cannot be the column of a filter`);
    (query[filter.column] ??= []).push(conditionOf(filter));
  }
  return query;
}

const tableOf = ({ table }: JsonObject): string => at`/${table}`;

const actions: readonly HttpAction[] = [
  asks(
    'list_tables',
    'List tables',
    'Tables and views that the key sees, from the description of the API. Needs a secret key.',
    {
      output: outputOf({
        tables: list({ type: 'string' }, 'Tables', 'Their names.', ['orders']),
        count: integer('Count', 'How many there are.', 1),
      }),
      call: 'GET /',
      read({ body }) {
        const tables = isObject(body) && isObject(body.definitions) ? Object.keys(body.definitions) : [];
        return { tables, count: tables.length };
      },
    },
  ),
  asks('select_rows', 'Select rows', 'Rows of a table that meet conditions.', {
    needs: TABLE,
    may: {
      filters: FILTERS,
      columns: text('Columns', 'As PostgREST writes them, with those of other tables.', 'number,customer(name)'),
      order: text('Order', 'As PostgREST writes it.', 'created_at.desc'),
    },
    item: ROW,
    request: (input) => ({
      method: 'GET',
      url: tableOf(input),
      query: {
        ...filtersOf(input.filters),
        select: ask(input, 'columns').columns ?? '*',
        ...ask(input, 'order'),
        limit: PAGE,
        offset: 0,
      },
    }),
    pages: byOffset({ items: '', offset: 'offset', size: 'limit' }),
  }),
  does('insert_rows', 'Insert rows', 'Adds rows to a table.', {
    needs: { ...TABLE, rows: list(ROW, 'Rows', 'Which ones.', [{ number: 4711 }], { minItems: 1 }) },
    output: ROWS,
    request: (input) => ({
      method: 'POST',
      url: tableOf(input),
      headers: { prefer: REPRESENTED },
      body: input.rows ?? [],
    }),
    read: listAs('rows'),
  }),
  settles('upsert_rows', 'Merge rows', 'Changes the rows that have the same key, and adds others.', {
    needs: { ...TABLE, rows: list(ROW, 'Rows', 'Which ones.', [{ number: 4711 }], { minItems: 1 }) },
    may: {
      on_conflict: list({ type: 'string' }, 'Same by', 'Columns with a unique index; else the primary key.', [
        'number',
      ]),
    },
    output: ROWS,
    request: (input) => ({
      method: 'POST',
      url: tableOf(input),
      query: { on_conflict: commas(input.on_conflict) },
      headers: { prefer: `resolution=merge-duplicates,${REPRESENTED}` },
      body: input.rows ?? [],
    }),
    read: listAs('rows'),
  }),
  settles('update_rows', 'Change rows', 'Sets columns of all rows that meet conditions.', {
    needs: { ...TABLE, ...SOME_FILTERS, values: ROW },
    output: ROWS,
    request: (input) => ({
      method: 'PATCH',
      url: tableOf(input),
      query: filtersOf(input.filters),
      headers: { prefer: REPRESENTED },
      body: input.values ?? {},
    }),
    read: listAs('rows'),
  }),
  settles('delete_rows', 'Delete rows', 'Takes all rows away that meet conditions.', {
    needs: { ...TABLE, ...SOME_FILTERS },
    output: ROWS,
    request: (input) => ({
      method: 'DELETE',
      url: tableOf(input),
      query: filtersOf(input.filters),
      headers: { prefer: REPRESENTED },
    }),
    read: listAs('rows'),
  }),
  does('call_function', 'Call a function', 'Calls a function of the database.', {
    needs: { function: text('Function', 'Its name.', 'close_order', { minLength: 1 }) },
    may: { arguments: record('Arguments', 'Values by their names.', { number: 4711 }) },
    output: outputOf({ result: anything('Result', 'Where it is no object.', 1) }),
    request: (input) => ({ method: 'POST', url: at`/rpc/${input.function}`, body: input.arguments ?? {} }),
  }),
];

export const supabase: Connector = {
  name: 'supabase',
  title: 'Supabase',
  description: 'Rows of tables and functions of the database, by its REST API.',
  category: 'Storage',
  docs: 'https://supabase.com/docs/guides/api',
  auth: {
    required: true,
    fields: [
      site('url', 'Address', 'Of the project.', 'https://abcdefghijklmnop.supabase.co'),
      hidden(
        'api_key',
        'API key',
        'A secret one, or that of the service role: it reaches all rows, whatever policies say.',
        'sb_secret_0123456789abcdef',
      ),
    ],
  },
  base: (account) => `${siteOf(account, 'url')}/rest/v1`,
  sign(request, account) {
    const key = field(account, 'api_key');
    // Keys of the older kind are tokens of JWT as well, and say there which role they give.
    return withHeaders(request, { apikey: key, ...(key.startsWith('ey') ? { authorization: `Bearer ${key}` } : {}) });
  },
  fault: worded({
    message: [
      (answer) => {
        const message = messageAt('message')(answer);
        const hint = messageAt('hint')(answer) ?? messageAt('details')(answer);
        return message === null || hint === null ? message : `${message} (${hint})`;
      },
    ],
    code: codeAt('code'),
  }),
  probe: { action: 'list_tables', input: {} },
  actions,
};
