import type { Socket } from 'node:net';
import { type Connection, createConnection, type FieldPacket, type QueryError, type ResultSetHeader } from 'mysql2';
import { EgressError, MAX_INTAKE_BYTES } from '../../../lib/egress';
import { errorMessage } from '../../../lib/errors';
import { isObject } from '../../../lib/json';
import { peerOf } from '../server-url';
import {
  type Answer,
  type Complaint,
  DatabaseError,
  type SqlQuery,
  type SqlTarget,
  type Surroundings,
} from './contract';
import { mysqlValue } from './mysql-values';
import { rowOf, Rows } from './rows';

/** Runs one statement. @throws DatabaseError, EgressError */
export async function queryMysql(target: SqlTarget, query: SqlQuery, around: Surroundings): Promise<Answer> {
  const { net, signal, timeoutMs, progress } = around;
  const { host, port } = target;
  const socket = await net.connect({ host, port, timeoutMs, signal });
  const connection = connectionOf(target, socket, timeoutMs);
  // Reports what breaks while nobody waits for an answer.
  const broken = new Promise<never>((_, reject) => connection.on('error', reject));
  contained(connection, host);
  const ask = <T>(answer: Promise<T>): Promise<T> => Promise.race([answer, broken]);
  try {
    const version = await ask(greeting(connection));
    await ask(told(connection, timeLimit(version, timeoutMs)));
    if (query.readOnly) {
      await ask(told(connection, 'SET SESSION TRANSACTION READ ONLY'));
      await ask(told(connection, 'START TRANSACTION READ ONLY'));
    }
    progress.unsure = !query.readOnly;
    const answer = await ask(fetch(connection, query));
    progress.unsure = false;
    return answer;
  } catch (fault) {
    const complaint = complaintOf(fault, socket);
    // What the server has refused has changed nothing, or what its own words tell.
    if (complaint instanceof DatabaseError && complaint.complaint !== 'lost') progress.unsure = false;
    throw complaint;
  } finally {
    connection.destroy();
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
    // Rows are read without making code of what the server calls its columns.
    disableEval: true,
    // The server could ask for files of ours.
    flags: ['-LOCAL_FILES'],
  });
}

/**
 * What the server says passes here also when the client has put TLS over the socket, where nobody else can watch it: an
 * answer that the client does not expect, or too long a one, ends the connection, and not the process.
 */
function contained(connection: Connection, host: string): void {
  const { packetParser } = connection as unknown as { packetParser: { execute(bytes: Buffer): void } };
  // The parser changes this member of itself with each part of a packet.
  let parse = packetParser.execute;
  let bytes = 0;
  let inside = false;
  const execute = (chunk: Buffer): void => {
    // It calls itself for the rest of a chunk.
    if (inside) return parse.call(packetParser, chunk);
    inside = true;
    try {
      bytes += chunk.length;
      if (bytes > MAX_INTAKE_BYTES) {
        throw new EgressError('too_large', `${host} answers with more than ${MAX_INTAKE_BYTES} bytes`);
      }
      parse.call(packetParser, chunk);
    } catch (cause) {
      const nonsense = `${host} said something that cannot be understood`;
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
}

/** The version that the server says it has, once it has let us in. */
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

const told = (connection: Connection, sql: string): Promise<void> =>
  new Promise((resolve, reject) => connection.query(sql, (fault) => (fault ? reject(fault) : resolve())));

/** What can be left in the middle of its rows: others change something while they return them. */
const SELECTS = /^[\s(]*(?:select|with|show|table|values)\b/i;

/** A prepared statement: its parameters never become a part of its text. */
function fetch(connection: Connection, { sql, params, maxRows, readOnly }: SqlQuery): Promise<Answer> {
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
    connection
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
      .on('end', answer);
  });
}

/** Errors of servers by their number. */
const COMPLAINTS: Readonly<Record<number, Complaint>> = {
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

function complaintOf(fault: unknown, socket: Socket): unknown {
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
