import type { Socket } from 'node:net';
import { Client, DatabaseError as PostgresError } from 'pg';
import Cursor from 'pg-cursor';
import { EgressError } from '../../../lib/egress';
import { errorMessage } from '../../../lib/errors';
import type { Json } from '../../../lib/json';
import {
  type Answer,
  type Complaint,
  DatabaseError,
  type SqlQuery,
  type SqlTarget,
  type Surroundings,
} from './contract';
import { cancelPostgres, openPostgres } from './postgres-socket';
import { POSTGRES_TYPES } from './postgres-types';
import { rowOf, Rows } from './rows';

/** How long a statement that nobody waits for any more may take to be stopped. */
const CANCEL_MS = 5_000;
/** So many rows are asked for at first, when nobody knows how large they are; then as many as these characters hold. */
const FIRST_BATCH = 8;
const BATCH_CHARS = 2 * 1024 * 1024;

/**
 * Runs one statement in a transaction of its own, so that a connection that breaks before the end of it has changed
 * nothing. @throws DatabaseError, EgressError
 */
export async function queryPostgres(target: SqlTarget, query: SqlQuery, around: Surroundings): Promise<Answer> {
  const { signal, progress, timeoutMs } = around;
  const socket = await openPostgres(target, around);
  const client = clientOf(target, socket);
  // Without a listener it would be thrown at the process; whoever waits for an answer gets the error too.
  client.on('error', () => {});
  let running = false;
  try {
    await client.connect();
    await client.query(
      `BEGIN ${query.readOnly ? 'READ ONLY' : 'READ WRITE'};
       SET LOCAL statement_timeout = ${Math.ceil(timeoutMs)}; SET LOCAL datestyle = ISO; SET LOCAL bytea_output = hex`,
    );
    running = true;
    const answer = await fetch(client, query);
    running = false;
    progress.unsure = !query.readOnly;
    await client.query('COMMIT');
    progress.unsure = false;
    return answer;
  } catch (fault) {
    throw complaintOf(fault, socket);
  } finally {
    if (running && signal.aborted) stopStatement(target, client, around);
    client.end().catch(() => {
      // Said for politeness: the connection ends with the signal, whether or not the server heard it.
    });
  }
}

function clientOf(target: SqlTarget, socket: Socket): Client {
  const { host, port, user, password, database } = target;
  // The client wants to connect by itself; what it gets is connected.
  socket.connect = (): Socket => {
    process.nextTick(() => socket.emit('connect'));
    return socket;
  };
  return new Client({
    host,
    port,
    user,
    database: database === '' ? user : database,
    // A function, for the client takes a missing or empty one from the environment, or a file of this process.
    password: () => password,
    ssl: false,
    stream: () => socket,
    application_name: 'everstep',
    types: POSTGRES_TYPES,
  });
}

async function fetch(client: Client, { sql, params, maxRows }: SqlQuery): Promise<Answer> {
  const rows = new Rows(maxRows);
  let changed: number | null = null;
  const cursor = client.query(new Statement(sql, [...params], { rowMode: 'array', types: POSTGRES_TYPES }));
  for (;;) {
    const { found, names, affected } = await read(
      cursor,
      Math.min(batchAfter(rows), maxRows + 1 - rows.list.length),
    ).catch((fault: unknown) => {
      // The server calls it a cancelled statement, which it is not.
      throw cursor.wantsFile ? new DatabaseError('query', NO_FILE, null, { cause: fault }) : fault;
    });
    for (const values of found) rows.add(() => rowOf(names, values));
    // Told with the last rows; what is cut off tells it no more.
    changed = affected ?? changed;
    if (found.length > 0 && !rows.truncated) continue;
    await cursor.close();
    return { rows: rows.list, affected: changed, truncated: rows.truncated };
  }
}

const batchAfter = ({ list, chars }: Rows): number =>
  list.length === 0 ? FIRST_BATCH : Math.ceil((BATCH_CHARS * list.length) / chars);

interface Batch {
  readonly found: readonly (readonly Json[])[];
  readonly names: readonly string[];
  readonly affected: number | null;
}

/** What changed nothing has no number of changed rows. */
const CHANGING = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE', 'COPY']);

const read = (cursor: Cursor, rows: number): Promise<Batch> =>
  new Promise((resolve, reject) =>
    cursor.read(rows, (fault, found, result) => {
      if (fault) reject(fault);
      else {
        const names = (result?.fields ?? []).map((field) => field.name);
        const affected = CHANGING.has(result?.command) ? result.rowCount : null;
        resolve({ found: (found ?? []) as unknown as Json[][], names, affected });
      }
    }),
  );

const NO_FILE = 'COPY FROM STDIN has nothing to read here';

/** A cursor that knows what to say to a server that asks for a file, or sends one: COPY has none here. */
class Statement extends Cursor {
  wantsFile = false;

  handleCopyInResponse(connection: { sendCopyFail(message: string): void }): void {
    this.wantsFile = true;
    connection.sendCopyFail(NO_FILE);
  }

  handleCopyData(): void {
    // COPY TO STDOUT: its rows are of no format that could be put out.
  }
}

/** The connection ends anyway, but the server would go on with the statement until it has something to say. */
function stopStatement(target: SqlTarget, client: Client, { net }: Surroundings): void {
  const { processID, secretKey } = client as unknown as { processID: number | null; secretKey: number | null };
  if (processID === null || secretKey === null) return;
  const around = { net, timeoutMs: CANCEL_MS, signal: AbortSignal.timeout(CANCEL_MS) };
  cancelPostgres(target, { processId: processID, secret: secretKey }, around).catch(() => {
    // Nobody waits for it; `statement_timeout` ends the statement where this could not.
  });
}

/** Classes of SQLSTATE, and states that say more than their class. */
const COMPLAINTS: Readonly<Record<string, Complaint>> = {
  '08': 'lost',
  '28': 'login',
  '40': 'busy',
  '53': 'busy',
  '23505': 'duplicate',
  '55P03': 'busy',
  '57014': 'timeout',
  '57P01': 'lost',
  '57P02': 'lost',
  '57P03': 'busy',
};

function complaintOf(fault: unknown, socket: Socket): unknown {
  if (fault instanceof EgressError || fault instanceof DatabaseError) return fault;
  const cause = { cause: fault };
  if (fault instanceof PostgresError) {
    const state = fault.code ?? '';
    const complaint = COMPLAINTS[state] ?? COMPLAINTS[state.slice(0, 2)] ?? 'query';
    return new DatabaseError(complaint, fault.message, state || null, cause);
  }
  // Why the socket ended says more than that it did.
  if (socket.errored instanceof EgressError) return socket.errored;
  const message = errorMessage(fault);
  if (message.startsWith('SASL')) return new DatabaseError('login', message, null, cause);
  return new DatabaseError(socket.destroyed || socket.readableEnded ? 'lost' : 'protocol', message, null, cause);
}
