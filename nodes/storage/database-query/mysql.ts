import type { Socket } from 'node:net';
import { type Connection, createConnection, type FieldPacket, type QueryError, type ResultSetHeader } from 'mysql2';
import { type PoolClient, SINGLE_USE } from '../../../lib/client-pool';
import { EgressError, MAX_RECEIVED_BYTES, resetReceivedBytes } from '../../../lib/egress';
import { errorMessage } from '../../../lib/errors';
import { isObject } from '../../../lib/json';
import { peerOf } from '../server-url';
import {
  type QueryResult,
  type DatabaseErrorKind,
  DatabaseError,
  poolKeyOf,
  type SqlQuery,
  type SqlTarget,
  type QueryContext,
} from './contract';
import { mysqlValue } from './mysql-values';
import { rowOf, Rows } from './rows';

/** Runs one statement. @throws DatabaseError, EgressError */
export async function queryMysql(target: SqlTarget, query: SqlQuery, around: QueryContext): Promise<QueryResult> {
  const { net, signal, timeoutMs, progress } = around;
  return (net.clients ?? SINGLE_USE).use({
    ...poolKeyOf('mysql', target),
    signal,
    open: (life) => openMysql(target, { net, timeoutMs, signal: life }),
    async begin(client) {
      client.renew();
      await client.run(timeLimit(client.version, timeoutMs));
      if (!query.readOnly) return;
      await client.run('SET SESSION TRANSACTION READ ONLY');
      await client.run('START TRANSACTION READ ONLY');
    },
    async work(client) {
      try {
        progress.outcomeUnknown = !query.readOnly;
        const answer = await client.judged(fetch(client, query));
        progress.outcomeUnknown = false;
        return answer;
      } catch (fault) {
        // A refused statement changed nothing, except as the error says.
        if (fault instanceof DatabaseError && fault.kind !== 'lost') progress.outcomeUnknown = false;
        throw fault;
      }
    },
  });
}

/** A session with a server of MySQL. */
interface MysqlClient extends PoolClient {
  readonly connection: Connection;
  /** The version that the server reports. */
  readonly version: string;
  /** Rows of the last statement are still coming. */
  reading: boolean;
  /** Resets the count of received bytes. */
  renew(): void;
  run(sql: string): Promise<void>;
  /** The result of a command on the connection. @throws DatabaseError, EgressError */
  judged<T>(answer: Promise<T>): Promise<T>;
}

/** Connects and logs in. @throws DatabaseError, EgressError */
async function openMysql(target: SqlTarget, around: Omit<QueryContext, 'progress'>): Promise<MysqlClient> {
  const { net, timeoutMs, signal } = around;
  const { host, port } = target;
  const socket = await net.connect({ host, port, timeoutMs, signal });
  const connection = connectionOf(target, socket, timeoutMs);
  // Reports what breaks while nothing is under way.
  const broken = new Promise<never>((_, reject) => connection.on('error', reject));
  broken.catch(() => socket.destroy());
  const intake = contained(connection, host);
  const judged = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await Promise.race([answer, broken]);
    } catch (fault) {
      throw clientError(fault, socket);
    }
  };
  const run = (sql: string): Promise<void> =>
    judged(new Promise((resolve, reject) => connection.query(sql, (fault) => (fault ? reject(fault) : resolve()))));
  try {
    const version = await judged(greeting(connection));
    const client: MysqlClient = {
      socket,
      connection,
      version,
      reading: false,
      run,
      judged,
      renew() {
        resetReceivedBytes(socket);
        intake.bytes = 0;
      },
      /** COM_CHANGE_USER ends all that a session has: transactions, locks, temporary tables, variables, roles, the database chosen. */
      async reset() {
        client.renew();
        if (client.reading) throw new Error('rows are left to read');
        await judged(
          new Promise<void>((resolve, reject) =>
            connection.changeUser({ charset: 'UTF8MB4_UNICODE_CI' }, (fault) => (fault ? reject(fault) : resolve())),
          ),
        );
      },
      close: () => connection.destroy(),
    };
    return client;
  } catch (fault) {
    connection.destroy();
    throw fault;
  }
}

function connectionOf(target: SqlTarget, socket: Socket, timeoutMs: number): Connection {
  const { host, port, user, password, database } = target;
  const peer = peerOf(target);
  return createConnection({
    host,
    port,
    user,
    password,
    database: database === '' ? undefined : database,
    stream: () => socket,
    ssl:
      peer === null
        ? undefined
        : { rejectUnauthorized: peer.verify !== 'none', verifyIdentity: peer.verify === 'full', ca: peer.ca },
    connectTimeout: timeoutMs,
    supportBigNumbers: true,
    bigNumberStrings: true,
    dateStrings: true,
    rowsAsArray: true,
    // Rows are parsed without generating code from column names of the server.
    disableEval: true,
    // The server could request local files.
    flags: ['-LOCAL_FILES'],
  });
}

/**
 * Inspects the packets of the server, also when the client has put TLS over the socket: an unexpected or too long packet
 * ends the connection, not the process.
 */
function contained(connection: Connection, host: string): { bytes: number } {
  const { packetParser } = connection as unknown as { packetParser: { execute(bytes: Buffer): void } };
  // The parser changes this member of itself with each part of a packet.
  let parse = packetParser.execute;
  const intake = { bytes: 0 };
  let inside = false;
  const execute = (chunk: Buffer): void => {
    // It calls itself for the rest of a chunk.
    if (inside) return parse.call(packetParser, chunk);
    inside = true;
    try {
      intake.bytes += chunk.length;
      if (intake.bytes > MAX_RECEIVED_BYTES) {
        throw new EgressError('too_large', `${host} answers with more than ${MAX_RECEIVED_BYTES} bytes`);
      }
      parse.call(packetParser, chunk);
    } catch (cause) {
      const nonsense = `${host} sent an invalid answer`;
      connection.emit('error', cause instanceof EgressError ? cause : new EgressError('protocol', nonsense, { cause }));
      connection.destroy();
    } finally {
      inside = false;
    }
  };
  Object.defineProperty(packetParser, 'execute', {
    get: () => execute,
    set(next: typeof parse) {
      parse = next;
    },
  });
  return intake;
}

/** The version that the server reports after the login. */
const greeting = (connection: Connection): Promise<string> =>
  new Promise((resolve) =>
    connection.once('connect', (packet: unknown) => {
      const version = isObject(packet) ? packet.serverVersion : null;
      resolve(typeof version === 'string' ? version : '');
    }),
  );

/** MariaDB can end any statement, MySQL those that only read. */
const timeLimit = (version: string, timeoutMs: number): string =>
  /mariadb/i.test(version)
    ? `SET SESSION max_statement_time = ${timeoutMs / 1_000}`
    : `SET SESSION max_execution_time = ${Math.ceil(timeoutMs)}`;

/** Statements that can be aborted while rows arrive: others change something while they return rows. */
const SELECTS = /^[\s(]*(?:select|with|show|table|values)\b/i;

/** A prepared statement: its parameters never become a part of its text. */
function fetch(client: MysqlClient, { sql, params, maxRows, readOnly }: SqlQuery): Promise<QueryResult> {
  const rows = new Rows(maxRows);
  let fields: FieldPacket[] = [];
  let names: string[] = [];
  let header: ResultSetHeader | null = null;
  return new Promise((resolve, reject) => {
    const answer = (): void => {
      const id = header?.insertId;
      resolve({
        rows: rows.list,
        affected: header === null ? null : header.affectedRows,
        truncated: rows.truncated,
        ...(id === undefined || Number(id) === 0 ? {} : { ids: [id] }),
      });
    };
    client.reading = true;
    client.connection
      .execute({ sql, values: [...params] })
      .on('error', reject)
      .on('fields', (described: FieldPacket[] | undefined) => {
        fields = described ?? [];
        names = fields.map((field) => field.name);
      })
      .on('result', (result: unknown) => {
        if (!Array.isArray(result)) header = result as ResultSetHeader;
        else {
          rows.add(() =>
            rowOf(
              names,
              result.map((value, index) => mysqlValue(value, fields[index])),
            ),
          );
          if (rows.truncated && (readOnly || SELECTS.test(sql))) answer();
        }
      })
      .on('end', () => {
        client.reading = false;
        answer();
      });
  });
}

/** Errors of servers by their number. */
const COMPLAINTS: Readonly<Record<number, DatabaseErrorKind>> = {
  1040: 'busy',
  1044: 'login',
  1045: 'login',
  1053: 'lost',
  1062: 'duplicate',
  1129: 'busy',
  1130: 'login',
  1203: 'busy',
  1205: 'busy',
  1213: 'busy',
  1226: 'busy',
  1317: 'timeout',
  1586: 'duplicate',
  1698: 'login',
  1969: 'timeout',
  3024: 'timeout',
  3159: 'login',
};

function clientError(fault: unknown, socket: Socket): unknown {
  if (fault instanceof EgressError) return fault;
  if (socket.errored instanceof EgressError) return socket.errored;
  const { errno, code, fatal } = fault as Partial<QueryError>;
  const cause = { cause: fault };
  if (code === 'HANDSHAKE_NO_SSL_SUPPORT') {
    const hint = 'The server offers no TLS; say sslmode=disable where the network can be trusted';
    return new DatabaseError('protocol', hint, null, cause);
  }
  if (typeof errno === 'number' && errno > 0) {
    return new DatabaseError(COMPLAINTS[errno] ?? 'query', errorMessage(fault), String(errno), cause);
  }
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO/.test(code ?? ''))
    return new DatabaseError('protocol', errorMessage(fault), null, cause);
  return new DatabaseError(fatal === true || socket.destroyed ? 'lost' : 'query', errorMessage(fault), null, cause);
}
