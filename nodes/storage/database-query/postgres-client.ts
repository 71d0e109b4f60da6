import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { Client, type QueryResult } from 'pg';
import Cursor from 'pg-cursor';
import type { PoolClient } from '../../../lib/client-pool';
import { resetReceivedBytes } from '../../../lib/egress';
import type { Json } from '../../../lib/json';
import { DatabaseError, type SqlTarget, type QueryContext } from './contract';
import { checkErrorMessages, clientError } from './postgres-errors';
import { type CancelKey, openPostgres } from './postgres-socket';
import { valueOf } from './postgres-types';

/** Rows of a statement as they were read. */
interface Batch {
  readonly names: readonly string[];
  readonly values: readonly Json[][];
  /** Rows that were changed; null where the statement changes none, or is not over. */
  readonly affected: number | null;
}

/** A session with a server of PostgreSQL. Its methods throw DatabaseError and EgressError. */
export interface PostgresClient extends PoolClient {
  /** Cancels a statement of this session; null if the server provides no cancel key. */
  readonly cancelKey: CancelKey | null;
  begin(readOnly: boolean, timeoutMs: number): Promise<void>;
  /** Runs statements of this program, which answer nothing. */
  run(sql: string): Promise<void>;
  /** Begins a statement of a tenant: one, with its parameters beside it. */
  statement(sql: string, params: readonly Json[]): Statement;
  read(statement: Statement, rows: number): Promise<Batch>;
  /** Skips the remaining rows of a statement. */
  end(statement: Statement): Promise<void>;
}

/** Private members of the client that are used here. */
interface Inside {
  readonly connection: EventEmitter;
  readonly processID: number | null;
  readonly secretKey: number | null;
}

/** Connects and logs in. @throws DatabaseError, EgressError */
export async function openPostgresClient(
  target: SqlTarget,
  around: Omit<QueryContext, 'progress'>,
): Promise<PostgresClient> {
  const { host, port, user, password, database, tls } = target;
  const socket = await openPostgres(target, around);
  let inClear = false;
  const client = new Client({
    host,
    port,
    user,
    database: database === '' ? user : database,
    // A function, since the client looks elsewhere for a password that is empty.
    password() {
      if (!inClear) return password;
      throw new DatabaseError('login', 'the server asks for the password in plain text, without TLS', null);
    },
    ssl: false,
    stream: () => connected(socket),
    application_name: 'everstep',
  });
  const inside = client as unknown as Inside;
  inside.connection.on('authenticationCleartextPassword', () => (inClear = tls === 'off'));
  // Each use sees its own failure. A connection that fails between two uses is not used again.
  client.on('error', () => socket.destroy());
  const judged = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (fault) {
      throw clientError(fault, socket, host);
    }
  };
  const run = async (sql: string): Promise<void> => void (await judged(client.query(sql)));
  const close = (): void => {
    void client.end();
    socket.destroySoon();
  };
  socket.on('data', checkErrorMessages());
  try {
    await judged(client.connect());
  } catch (fault) {
    close();
    throw fault;
  }
  return {
    socket,
    run,
    close,
    get cancelKey() {
      const { processID, secretKey } = inside;
      return processID === null || secretKey === null ? null : { processId: processID, secret: secretKey };
    },
    begin(readOnly, timeoutMs) {
      resetReceivedBytes(socket);
      return run(
        `BEGIN ${readOnly ? 'READ ONLY' : 'READ WRITE'};
         SET LOCAL statement_timeout = ${Math.ceil(timeoutMs)}; SET LOCAL datestyle = ISO; SET LOCAL bytea_output = hex`,
      );
    },
    statement: (sql, params) => client.query(new Statement(sql, [...params], { rowMode: 'array', types: TYPES })),
    read: (statement, rows) => judged(batchOf(statement, rows)),
    end: (statement) => judged(statement.close()),
    /** A statement can end the transaction and change the session. */
    async reset() {
      resetReceivedBytes(socket);
      await run('ROLLBACK');
      await run('DISCARD ALL');
    },
  };
}

/** A statement whose rows are read in batches. */
class Statement extends Cursor<Json[]> {
  /** The rows of COPY TO STDOUT are no rows here. */
  handleCopyData(): void {}

  handleCopyInResponse(): void {
    // The server's own word for the end of this would be that of a cancelled statement.
    this.handleError(new DatabaseError('query', 'COPY FROM STDIN has nothing to read here', null));
  }

  declare handleError: (fault: Error) => void;
}

const TYPES = { getTypeParser: (oid: number) => (text: string) => valueOf(text, oid) };

const batchOf = (statement: Statement, rows: number): Promise<Batch> =>
  new Promise((resolve, reject) =>
    statement.read(rows, (fault: Error | undefined | null, values: Json[][], result: QueryResult) => {
      if (fault) return reject(fault);
      const { command, rowCount, fields } = result;
      resolve({ values, names: fields.map(({ name }) => name), affected: CHANGES.has(command) ? rowCount : null });
    }),
  );

const CHANGES = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE', 'COPY']);

/** The client connects its stream itself: this one is connected already. */
const connected = (socket: Socket): Socket =>
  Object.assign(socket, {
    connect() {
      setImmediate(() => socket.emit('connect'));
      return socket;
    },
  });
