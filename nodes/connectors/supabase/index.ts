import { isObject, type Json, type JsonObject } from '../../../lib/json';
import { field, withHeaders } from '../auth';
import type { HttpAction } from '../contract';
import { messageAt } from '../http/fault';
import { byOffset } from '../http/pages';
import { urlPath } from '../http/path';
import { outputList } from '../http/read';
import { baseUrlFrom } from '../http/base-url';
import { codeAt, faultFrom } from '../http/error-text';

import { InvalidInputError } from '../invalid-input-error';
import { anyValue, choice, filledText, integer, list, object, outputOf, record, text } from '../../schema';
import { secretField, urlField } from '../credentials';
import { commaSeparated, queryFrom } from '../input';
import { defineConnector, idempotentWrite, readAction, writeAction } from '../define';

const TABLE = { table: filledText('Table or view of the schema `public`.', 'orders') };
const OPERATORS = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'like', 'ilike', 'is', 'in'];
const FILTERS = list(
  object(
    {
      column: text('Name of the field.', 'status', { pattern: '^[A-Za-z_][A-Za-z0-9_$]*$' }),
      operator: choice(OPERATORS, 'Comparison operator.'),
      value: anyValue('Value to compare with; a list for `in`; null, true or false for `is`.', 'open'),
    },
    'A condition.',
    { required: ['column', 'operator', 'value'] },
  ),
  'Conditions that must all match.',
  [{ column: 'status', operator: 'eq', value: 'open' }],
  { maxItems: 50 },
);
const SOME_FILTERS = { filters: { ...FILTERS, minItems: 1 } };
const ROW = record('Values by column name.', { number: 4711, status: 'open' });
const ROWS = outputOf({ rows: list(ROW, 'Records after the change.'), count: integer('Number of items.', 1) });
const REPRESENTED = 'return=representation';
const PAGE = 1000;

/** A value as PostgREST reads it: parts of a list in quotation marks, in which commas and brackets count for nothing. */
const quoted = (value: Json): string => `"${String(value).replace(/["\\]/g, '\\$&')}"`;

function conditionOf({ operator, value }: JsonObject): string {
  if (operator !== 'in') return `${String(operator)}.${String(value)}`;
  if (!Array.isArray(value)) throw new InvalidInputError('the value of a filter with "in" must be a list');
  return `in.(${value.map(quoted).join(',')})`;
}

/** Reserved parameters of PostgREST: as column names they would not be conditions, and would delete all rows. */
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

/** Several conditions on one column are repeated, all of which count. @throws InvalidInputError */
function filtersOf(filters: Json | undefined): Record<string, string[]> {
  const query: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const filter of Array.isArray(filters) ? filters : []) {
    if (!isObject(filter) || typeof filter.column !== 'string') continue;
    if (RESERVED.has(filter.column)) throw new InvalidInputError(`"${filter.column}" cannot be the column of a filter`);
    (query[filter.column] ??= []).push(conditionOf(filter));
  }
  return query;
}

const tableOf = ({ table }: JsonObject): string => urlPath`/${table}`;

const actions: readonly HttpAction[] = [
  readAction('list_tables', 'Lists tables and views that the key can access. Requires a secret key.', {
    output: outputOf({
      tables: list({ type: 'string' }, 'Names of the tables.', ['orders']),
      count: integer('Number of items.', 1),
    }),
    call: 'GET /',
    read({ body }) {
      const tables = isObject(body) && isObject(body.definitions) ? Object.keys(body.definitions) : [];
      return { tables, count: tables.length };
    },
  }),
  readAction('select_rows', 'Returns rows of a table that match all filters.', {
    required: TABLE,
    optional: {
      filters: FILTERS,
      columns: text('Columns in PostgREST syntax, including those of related tables.', 'number,customer(name)'),
      order: text('Order in PostgREST syntax.', 'created_at.desc'),
    },
    item: ROW,
    request: (input) => ({
      method: 'GET',
      url: tableOf(input),
      query: {
        ...filtersOf(input.filters),
        select: queryFrom(input, 'columns').columns ?? '*',
        ...queryFrom(input, 'order'),
        limit: PAGE,
        offset: 0,
      },
    }),
    pages: byOffset({ items: '', offset: 'offset', size: 'limit' }),
  }),
  writeAction('insert_rows', 'Inserts rows into a table.', {
    required: { ...TABLE, rows: list(ROW, 'Filter.', [{ number: 4711 }], { minItems: 1 }) },
    output: ROWS,
    request: (input) => ({
      method: 'POST',
      url: tableOf(input),
      headers: { prefer: REPRESENTED },
      body: input.rows ?? [],
    }),
    read: outputList('rows'),
  }),
  idempotentWrite('upsert_rows', 'Inserts rows, or updates rows with the same key.', {
    required: { ...TABLE, rows: list(ROW, 'Filter.', [{ number: 4711 }], { minItems: 1 }) },
    optional: {
      on_conflict: list({ type: 'string' }, 'Columns of a unique index. Default: the primary key.', ['number']),
    },
    output: ROWS,
    request: (input) => ({
      method: 'POST',
      url: tableOf(input),
      query: { on_conflict: commaSeparated(input.on_conflict) },
      headers: { prefer: `resolution=merge-duplicates,${REPRESENTED}` },
      body: input.rows ?? [],
    }),
    read: outputList('rows'),
  }),
  idempotentWrite('update_rows', 'Updates columns of all rows that match the filters.', {
    required: { ...TABLE, ...SOME_FILTERS, values: ROW },
    output: ROWS,
    request: (input) => ({
      method: 'PATCH',
      url: tableOf(input),
      query: filtersOf(input.filters),
      headers: { prefer: REPRESENTED },
      body: input.values ?? {},
    }),
    read: outputList('rows'),
  }),
  idempotentWrite('delete_rows', 'Deletes all rows that match the filters.', {
    required: { ...TABLE, ...SOME_FILTERS },
    output: ROWS,
    request: (input) => ({
      method: 'DELETE',
      url: tableOf(input),
      query: filtersOf(input.filters),
      headers: { prefer: REPRESENTED },
    }),
    read: outputList('rows'),
  }),
  writeAction('call_function', 'Calls a database function.', {
    required: { function: filledText('Name of the field.', 'close_order') },
    optional: { arguments: record('Arguments by name.', { number: 4711 }) },
    output: outputOf({ result: anyValue('Result that is not an object.', 1) }),
    request: (input) => ({ method: 'POST', url: urlPath`/rpc/${input.function}`, body: input.arguments ?? {} }),
  }),
];

export const supabase = defineConnector({
  name: 'supabase',
  title: 'Supabase',
  description: 'Read and write table rows and call functions through the REST API.',
  category: 'Storage',
  docs: 'https://supabase.com/docs/guides/api',

  fields: [
    urlField('url', 'Address', 'Of the project.', 'https://abcdefghijklmnop.supabase.co'),
    secretField(
      'api_key',
      'API key',
      'Secret or service role key, which bypasses row-level security.',
      'sb_secret_0123456789abcdef',
    ),
  ],
  base: (account) => `${baseUrlFrom(account, 'url')}/rest/v1`,
  sign(request, account) {
    const key = field(account, 'api_key');
    // Older keys are JWTs with the role as a claim.
    return withHeaders(request, { apikey: key, ...(key.startsWith('ey') ? { authorization: `Bearer ${key}` } : {}) });
  },
  fault: faultFrom({
    message: [
      (response) => {
        const message = messageAt('message')(response);
        const hint = messageAt('hint')(response) ?? messageAt('details')(response);
        return message === null || hint === null ? message : `${message} (${hint})`;
      },
    ],
    code: codeAt('code'),
  }),
  connectionTest: 'list_tables',
  actions,
});
