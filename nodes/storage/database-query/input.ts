import { parseDuration } from '../../../lib/duration';
import type { Json, JsonObject } from '../../../lib/json';
import type { Effect } from '../../contract';
import { changes, type MongoQuery, pipelineWrites } from './mongodb-operations';
import type { ConnectionInput, SqlDriver } from './target';

/** The input, validated by the schema. */
export interface DatabaseInput {
  driver: 'postgres' | 'mysql' | 'mongodb';
  connection: ConnectionInput;
  query?: string;
  params?: Json[];
  read_only?: boolean;
  max_rows?: number;
  timeout?: string | number;
  operation?: (typeof OPERATIONS)[number];
  database?: string;
  collection?: string;
  filter?: JsonObject;
  projection?: JsonObject;
  sort?: JsonObject;
  skip?: number;
  field?: string;
  pipeline?: JsonObject[];
  documents?: JsonObject[];
  update?: JsonObject | JsonObject[];
  many?: boolean;
  upsert?: boolean;
}

export const OPERATIONS = ['find', 'aggregate', 'distinct', 'count', 'insert', 'update', 'delete'] as const;

const READING = new Set<unknown>(['find', 'distinct', 'count']);

const DEFAULT_TIMEOUT_MS = 30_000;
export const DEFAULT_MAX_ROWS = 1_000;

/** A checked request. */
export type Request = { readonly timeoutMs: number } & (
  | { kind: 'sql'; driver: SqlDriver; sql: string; params: readonly Json[]; readOnly: boolean; maxRows: number }
  | { kind: 'mongodb'; query: MongoQuery }
);

/** An invalid configuration. The message is shown to the author of the workflow. */
export class InvalidInputError extends Error {}

/** The effect of a configuration; an operation that is an expression may change something. */
export function effectOf(config: JsonObject): Effect {
  if (config.read_only === true) return 'read';
  if (config.driver !== 'mongodb') return 'write';
  if (config.operation !== 'aggregate') return READING.has(config.operation) ? 'read' : 'write';
  return Array.isArray(config.pipeline) && !pipelineWrites(config.pipeline) ? 'read' : 'write';
}

/** @throws InvalidInputError */
export function requestOf(input: DatabaseInput): Request {
  const timeoutMs = input.timeout === undefined ? DEFAULT_TIMEOUT_MS : parseDuration(input.timeout);
  if (timeoutMs === null || timeoutMs === 0)
    throw new InvalidInputError('"timeout" must be a duration above zero, as 20s');
  const { driver, query, params = [], read_only: readOnly = false, max_rows: maxRows = DEFAULT_MAX_ROWS } = input;
  if (driver === 'mongodb') {
    const operation = mongoQuery(input, maxRows);
    if (readOnly && changes(operation))
      throw new InvalidInputError('"read_only" is set, and the operation changes something');
    return { kind: 'mongodb', timeoutMs, query: operation };
  }
  if (query === undefined) throw new InvalidInputError(`"query" is missing: ${driver} takes a statement of SQL`);
  return { kind: 'sql', driver, timeoutMs, sql: query, params, readOnly, maxRows };
}

function mongoQuery(input: DatabaseInput, maxRows: number): MongoQuery {
  const { operation, collection, database, filter } = input;
  if (operation === undefined) throw new InvalidInputError(`"operation" is missing: one of ${OPERATIONS.join(', ')}`);
  if (collection === undefined) throw new InvalidInputError('"collection" is missing');
  const place = { database, collection };
  switch (operation) {
    case 'find': {
      const { projection, sort, skip } = input;
      return { kind: 'find', ...place, filter: filter ?? {}, projection, sort, skip, maxRows };
    }
    case 'aggregate':
      return { kind: 'aggregate', ...place, pipeline: needed(input, 'pipeline'), maxRows };
    case 'distinct':
      return { kind: 'distinct', ...place, field: needed(input, 'field'), filter: filter ?? {}, maxRows };
    case 'count':
      return { kind: 'count', ...place, filter: filter ?? {} };
    case 'insert':
      return { kind: 'insert', ...place, documents: needed(input, 'documents') };
    case 'update': {
      // Without a filter everything would be changed; who means that writes {}.
      const [wanted, update] = [needed(input, 'filter'), needed(input, 'update')];
      if (!Array.isArray(update) && !Object.keys(update).every((key) => key.startsWith('$'))) {
        throw new InvalidInputError(
          '"update" must hold operators such as $set; anything else would replace the whole document',
        );
      }
      return {
        kind: 'update',
        ...place,
        filter: wanted,
        update,
        many: input.many ?? false,
        upsert: input.upsert ?? false,
      };
    }
    case 'delete':
      return { kind: 'delete', ...place, filter: needed(input, 'filter'), many: input.many ?? false };
  }
}

function needed<K extends 'pipeline' | 'field' | 'documents' | 'filter' | 'update'>(
  input: DatabaseInput,
  key: K,
): NonNullable<DatabaseInput[K]> {
  const value = input[key];
  if (value === undefined) throw new InvalidInputError(`"${key}" is missing: ${input.operation} needs it`);
  return value;
}
