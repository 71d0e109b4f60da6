import { EgressError } from '../../../lib/egress';
import type { Json } from '../../../lib/json';
import { type Answer, DatabaseError, type SqlQuery, type SqlTarget, type Surroundings } from './contract';
import { type CancelKey, logIn } from './postgres-login';
import { cancelPostgres, openPostgres } from './postgres-socket';
import { parameterOf, valueOf } from './postgres-types';
import { frame, int32, type Message, PostgresWire, type Reader } from './postgres-wire';
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
  const wire = new PostgresWire(await openPostgres(target, around), target.host);
  let running: CancelKey | null = null;
  try {
    const key = await logIn(wire, target);
    await tell(
      wire,
      `BEGIN ${query.readOnly ? 'READ ONLY' : 'READ WRITE'};
       SET LOCAL statement_timeout = ${Math.ceil(timeoutMs)}; SET LOCAL datestyle = ISO; SET LOCAL bytea_output = hex`,
    );
    running = key;
    const answer = await ask(wire, query);
    running = null;
    progress.unsure = !query.readOnly;
    await tell(wire, 'COMMIT');
    progress.unsure = false;
    return answer;
  } catch (fault) {
    if (fault instanceof DatabaseError) progress.unsure = false;
    if (fault instanceof DatabaseError || fault instanceof EgressError) throw fault;
    // The bytes were a message, and the message makes no sense.
    throw wire.nonsense(fault);
  } finally {
    if (running !== null && signal.aborted) stopStatement(target, running, around);
    wire.close();
  }
}

/** Statements of ours, which answer nothing. */
async function tell(wire: PostgresWire, sql: string): Promise<void> {
  wire.send(frame('Q', sql));
  for (;;) if ((await wire.next()).type === 'Z') return;
}

/** A statement of somebody else's: one, with its parameters beside it. */
async function ask(wire: PostgresWire, { sql, params, maxRows }: SqlQuery): Promise<Answer> {
  const values = params.map(parameterOf).flatMap((value) => {
    const bytes = value === null ? null : Buffer.from(value);
    return bytes === null ? [int32(-1)] : [int32(bytes.length), bytes];
  });
  wire.send(
    frame('P', '', sql, 0),
    frame('B', '', '', 0, unsigned(params.length), ...values, 0),
    frame('D', Buffer.from('P\0')),
    execute(FIRST_BATCH, maxRows),
    frame('H'),
  );
  const rows = new Rows(maxRows);
  let columns: Column[] = [];
  let affected: number | null = null;
  for (let complete = false; !complete; ) {
    const { type, body }: Message = await wire.next();
    switch (type) {
      case 'T':
        columns = columnsOf(body);
        break;
      case 'D':
        rows.add(() =>
          rowOf(
            columns.map(({ name }) => name),
            valuesOf(body, columns),
          ),
        );
        break;
      case 's':
        // More can be had; what is cut off tells no more how many rows it changed.
        complete = rows.truncated;
        if (!complete) wire.send(execute(batchAfter(rows), maxRows - rows.list.length), frame('H'));
        break;
      case 'C':
        affected = affectedBy(body.text());
        complete = true;
        break;
      case 'I':
        complete = true;
        break;
      case 'G':
        // Its own word for this would be that of a cancelled statement.
        throw new DatabaseError('query', 'COPY FROM STDIN has nothing to read here', null);
      default:
        if (!SILENT.has(type)) throw wire.nonsense();
    }
  }
  wire.send(frame('S'));
  await wire.rest();
  return { rows: rows.list, affected, truncated: rows.truncated };
}

/** That the statement was taken, its parameters were, that it has no rows, and the rows of COPY, which are no rows here. */
const SILENT = new Set(['1', '2', 'n', 'H', 'd', 'c']);

/** One row more than is wanted tells whether there are more. */
const execute = (batch: number, wanted: number): Buffer => frame('E', '', int32(Math.min(batch, wanted + 1)));

const batchAfter = ({ list, chars }: Rows): number => Math.ceil((BATCH_CHARS * list.length) / Math.max(chars, 1)) + 1;

const unsigned = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
};

interface Column {
  readonly name: string;
  readonly oid: number;
}

const columnsOf = (body: Reader): Column[] =>
  Array.from({ length: Math.max(body.int16(), 0) }, () => {
    const name = body.text();
    body.take(6);
    const oid = body.int32();
    body.take(8);
    return { name, oid };
  });

function valuesOf(body: Reader, columns: readonly Column[]): Json[] {
  if (body.int16() !== columns.length) throw new Error('a row of another form than was told');
  return columns.map(({ oid }) => {
    const length = body.int32();
    return length === -1 ? null : valueOf(body.take(length).toString(), oid);
  });
}

/** What changed nothing has no number of changed rows. */
function affectedBy(tag: string): number | null {
  const [, rows] = /^(?:INSERT \d+|UPDATE|DELETE|MERGE|COPY) (\d+)$/.exec(tag) ?? [];
  return rows === undefined ? null : Number(rows);
}

/** The connection ends anyway, but the server would go on with the statement until it has something to say. */
function stopStatement(target: SqlTarget, key: CancelKey, { net }: Surroundings): void {
  cancelPostgres(target, key, { net, timeoutMs: CANCEL_MS, signal: AbortSignal.timeout(CANCEL_MS) }).catch(() => {
    // Nobody waits for it; `statement_timeout` ends the statement where this could not.
  });
}
