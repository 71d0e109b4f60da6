import { isObject } from '../../../lib/json';
import type { JsonSchema } from '../../contract';
import { databaseQueryNode } from '../../storage/database-query';
import { run } from '../../storage/database-query/run';
import type { CodeAction } from '../contract';
import { delegateToStep, connectionOf } from '../delegate';
import { CA, secretField } from '../credentials';
import { defineConnector } from '../define';

type Operation = 'find' | 'aggregate' | 'distinct' | 'count' | 'insert' | 'update' | 'delete';

const { properties } = databaseQueryNode.input;

/** A member of the configuration of `database_query`. */
function member(name: string): JsonSchema {
  const schema: unknown = isObject(properties) ? properties[name] : undefined;
  if (!isObject(schema)) throw new Error(`database_query has no ${name}`);
  return schema;
}

const action = (
  name: Operation,
  title: string,
  description: string,
  members: { readonly needs?: readonly string[]; readonly may?: readonly string[] } = {},
): CodeAction => {
  const effect = name === 'insert' || name === 'update' || name === 'delete' ? 'write' : 'read';
  const needs = ['collection', ...(members.needs ?? [])];
  return {
    kind: 'code',
    name,
    title,
    description,
    effect,
    repeatable: effect === 'read',
    input: Object.fromEntries(
      [...needs, 'database', ...(members.may ?? []), 'timeout'].map((key) => [key, member(key)]),
    ),
    required: needs,
    output: databaseQueryNode.output,
    run: delegateToStep(run, (input, credentials) => ({
      ...input,
      driver: 'mongodb',
      operation: name,
      read_only: effect === 'read',
      connection: connectionOf(credentials, ['url', 'ca']),
    })),
  };
};

export const mongodb = defineConnector({
  name: 'mongodb',
  title: 'MongoDB',
  description: 'Query and change a MongoDB database.',
  category: 'Storage',
  docs: 'https://www.mongodb.com/docs/manual/crud/',

  fields: [
    secretField(
      'url',
      'URL',
      'Connection URL with user, password and database.',
      'mongodb+srv://shop:password@cluster.example.com/shop',
    ),
    CA,
  ],
  base: '',
  sign: (request) => request,
  connectionTest: { action: 'count', input: { collection: 'everstep_probe' } },
  actions: [
    action('find', 'Find documents', 'Returns documents that match a filter.', {
      may: ['filter', 'projection', 'sort', 'skip', 'max_rows'],
    }),
    action('aggregate', 'Aggregate', 'Runs an aggregation pipeline; stages that write are refused.', {
      needs: ['pipeline'],
      may: ['max_rows'],
    }),
    action('distinct', 'Distinct values', 'Returns the distinct values of a field.', {
      needs: ['field'],
      may: ['filter', 'max_rows'],
    }),
    action('count', 'Count documents', 'Counts documents that match a filter.', { may: ['filter'] }),
    action('insert', 'Insert documents', 'Inserts documents into a collection.', { needs: ['documents'] }),
    action('update', 'Update documents', 'Updates one or all documents that match a filter.', {
      needs: ['filter', 'update'],
      may: ['many', 'upsert'],
    }),
    action('delete', 'Delete documents', 'Deletes one or all documents that match a filter.', {
      needs: ['filter'],
      may: ['many'],
    }),
  ],
});
