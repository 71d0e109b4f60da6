import {
  type QueryResult,
  DatabaseError,
  poolKeyOf,
  type SqlQuery,
  type SqlTarget,
  type QueryContext,
} from './contract';
import { SINGLE_USE } from '../../../lib/client-pool';
import { type PostgresClient, openPostgresClient } from './postgres-client';
import { cancelPostgres } from './postgres-socket';
import { rowOf, Rows } from './rows';

/** How long a statement that was aborted may take to be stopped. */
const CANCEL_MS = 5_000;
/** Size of the first batch of rows, while their size is unknown; later batches are limited by characters. */
const FIRST_BATCH = 8;
const BATCH_CHARS = 2 * 1024 * 1024;

/**
 * Runs one statement in a transaction of its own, so that a connection that breaks before the end of it has changed
 * nothing. @throws DatabaseError, EgressError
 */
export async function queryPostgres(target: SqlTarget, query: SqlQuery, around: QueryContext): Promise<QueryResult> {
  const { net, signal, progress, timeoutMs } = around;
  return (net.clients ?? SINGLE_USE).use({
    ...poolKeyOf('postgres', target),
    signal,
    open: (life) => openPostgresClient(target, { net, timeoutMs, signal: life }),
    begin: (client) => client.begin(query.readOnly, timeoutMs),
    async work(client) {
      try {
        const answer = await ask(client, query);
        progress.outcomeUnknown = !query.readOnly;
        await client.run('COMMIT');
        progress.outcomeUnknown = false;
        return answer;
      } catch (fault) {
        if (fault instanceof DatabaseError) progress.outcomeUnknown = false;
        if (signal.aborted) stopStatement(target, client, around);
        throw fault;
      }
    },
  });
}

async function ask(client: PostgresClient, { sql, params, maxRows }: SqlQuery): Promise<QueryResult> {
  const statement = client.statement(sql, params);
  const rows = new Rows(maxRows);
  for (let batch = FIRST_BATCH; ; batch = Math.ceil((BATCH_CHARS * rows.list.length) / Math.max(rows.chars, 1)) + 1) {
    // One more row than requested shows whether there are more.
    const asked = Math.min(batch, maxRows - rows.list.length + 1);
    const { values, names, affected } = await client.read(statement, asked);
    for (const row of values) rows.add(() => rowOf(names, row));
    if (values.length < asked) return { rows: rows.list, affected, truncated: rows.truncated };
    // The number of changed rows is unknown if rows were skipped.
    if (rows.truncated) {
      await client.end(statement);
      return { rows: rows.list, affected: null, truncated: true };
    }
  }
}

/** The connection ends anyway, but the server would go on with the statement until it has something to send. */
function stopStatement(target: SqlTarget, { cancelKey }: PostgresClient, { net }: QueryContext): void {
  if (cancelKey === null) return;
  cancelPostgres(target, cancelKey, { net, timeoutMs: CANCEL_MS, signal: AbortSignal.timeout(CANCEL_MS) }).catch(() => {
    // The step is over; `statement_timeout` ends the statement where this could not.
  });
}
