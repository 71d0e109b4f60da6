import { databaseQueryNode } from '../../storage/database-query';
import { DEFAULT_MAX_ROWS } from '../../storage/database-query/input';
import { run } from '../../storage/database-query/run';
import { durationSchema } from '../../schema';
import type { CodeAction, Connector } from '../contract';
import { defineConnector } from '../define';
import { delegateToStep, connectionOf } from '../delegate';
import { filledText, integer, list } from '../../schema';
import { CA, HOST, plainField, portField, secretField } from '../credentials';

/** A SQL database and examples of its statements. */
interface Dialect {
  readonly name: 'postgres' | 'mysql';
  readonly title: string;
  readonly docs: string;
  readonly port: number;
  readonly select: string;
  readonly update: string;
  readonly parameters: string;
}

const FIELDS = ['host', 'port', 'database', 'user', 'password', 'sslmode', 'ca'];

/** A SQL database as a connector, with the implementation of the step type `database_query`. */
export function sqlConnector(dialect: Dialect): Connector {
  const { name, title, docs, port, select, update } = dialect;
  return defineConnector({
    name,
    title,
    description: `Query and change a ${title} database.`,
    category: 'Storage',
    docs,
    fields: [
      HOST,
      portField(port),
      plainField('database', 'Database', 'Name of the database.', 'shop', { required: false }),
      plainField('user', 'User name', 'User name to log in with.', 'shop'),
      secretField('password', 'Password', 'Password of the user.', { required: false }),
      plainField('sslmode', 'TLS', 'verify-full, verify-ca, require (no certificate check) or disable.', {
        required: false,
        default: 'verify-full',
      }),
      CA,
    ],
    base: '',
    sign: (request) => request,
    connectionTest: { action: 'query', input: { query: 'select 1' } },
    actions: [
      statement(dialect, {
        name: 'query',
        title: 'Query',
        description: 'Runs a read-only statement; the database refuses changes.',
        effect: 'read',
        repeatable: true,
        sample: select,
      }),
      statement(dialect, {
        name: 'execute',
        title: 'Execute',
        description: 'Runs a statement that may change data.',
        effect: 'write',
        repeatable: false,
        sample: update,
      }),
    ],
  });
}

type StatementSpec = Pick<CodeAction, 'name' | 'title' | 'description' | 'effect' | 'repeatable'> & {
  readonly sample: string;
};

function statement({ name: driver, parameters }: Dialect, { sample, ...spec }: StatementSpec): CodeAction {
  return {
    kind: 'code',
    ...spec,
    input: {
      query: filledText(`One statement. Pass values as parameters: ${parameters}.`, sample, { maxLength: 1_000_000 }),
      params: list({}, 'Parameters in order. Objects are sent as JSON.', [4711], { maxItems: 10_000 }),
      max_rows: integer('Maximum number of rows; `truncated` tells whether there were more.', 100, {
        minimum: 1,
        maximum: 10_000,
        default: DEFAULT_MAX_ROWS,
      }),
      timeout: durationSchema('Time-out', 'For connecting and the result. Default: 30 s.', '20s'),
    },
    required: ['query'],
    output: databaseQueryNode.output,
    run: delegateToStep(run, (input, credentials) => ({
      ...input,
      driver,
      read_only: spec.effect === 'read',
      connection: connectionOf(credentials, FIELDS, { numbers: ['port'] }),
    })),
  };
}
