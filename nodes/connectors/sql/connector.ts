import { databaseQueryNode } from '../../storage/database-query';
import { DEFAULT_MAX_ROWS } from '../../storage/database-query/input';
import { run } from '../../storage/database-query/run';
import { durationSchema } from '../../schema';
import type { CodeAction, Connector } from '../contract';
import { asStep, connectionOf } from '../delegate';
import { filledText, integer, list, text } from '../../schema';
import { CA, HOST, plainField, portField, secretField } from '../credentials';

/** What a database of SQL is called, and how its statements look. */
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

/** A database of SQL as a connector: it asks as the step type `database_query` does. */
export function sqlConnector(dialect: Dialect): Connector {
  const { name, title, docs, port, select, update } = dialect;
  return {
    name,
    title,
    description: `Asks and changes a database of ${title}.`,
    category: 'Storage',
    docs,
    auth: {
      required: true,
      fields: [
        HOST,
        portField(port),
        plainField('database', 'Database', 'Name of the database.', 'shop', { required: false }),
        plainField('user', 'User name', 'Who logs in.', 'shop'),
        secretField('password', 'Password', 'Of that user.', undefined, { required: false }),
        plainField('sslmode', 'TLS', 'verify-full, verify-ca, require (no certificate check) or disable.', undefined, {
          required: false,
          default: 'verify-full',
        }),
        CA,
      ],
    },
    base: () => '',
    sign: (request) => request,
    probe: { action: 'query', input: { query: 'select 1' } },
    actions: [
      statement(dialect, {
        name: 'query',
        title: 'Ask',
        description: 'Runs a statement that only reads: the database refuses changes.',
        effect: 'read',
        repeatable: true,
        sample: select,
      }),
      statement(dialect, {
        name: 'execute',
        title: 'Change',
        description: 'Runs a statement that may change something.',
        effect: 'write',
        repeatable: false,
        sample: update,
      }),
    ],
  };
}

type Line = Pick<CodeAction, 'name' | 'title' | 'description' | 'effect' | 'repeatable'> & { readonly sample: string };

function statement({ name: driver, parameters }: Dialect, { sample, ...line }: Line): CodeAction {
  return {
    kind: 'code',
    ...line,
    input: {
      query: filledText(`One statement. Values belong into the parameters: ${parameters}.`, sample, {
        maxLength: 1_000_000,
      }),
      params: list({}, 'Of the statement, in order. Objects go as JSON.', [4711], { maxItems: 10_000 }),
      max_rows: integer('More are cut off, and `truncated` says so.', 100, {
        minimum: 1,
        maximum: 10_000,
        default: DEFAULT_MAX_ROWS,
      }),
      timeout: durationSchema('Time-out', 'For connecting and the answer; 30 s unless it says so.', '20s'),
    },
    required: ['query'],
    output: databaseQueryNode.output,
    run: asStep(run, (input, credentials) => ({
      ...input,
      driver,
      read_only: line.effect === 'read',
      connection: connectionOf(credentials, FIELDS, { numbers: ['port'] }),
    })),
  };
}
