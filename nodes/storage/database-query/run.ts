import { bounded } from '../../bounded';
import type { MinimalContext } from '../../minimal-context';
import type { Outcome } from '../../contract';
import { redactingAlso, excerpt } from '../../redaction';
import { done, invalidConfig, failConnection, failFinally } from '../../outcome';
import { type QueryResult, type Progress, type QueryContext, type DatabaseErrorKind, DatabaseError } from './contract';
import { type DatabaseInput, type Request, requestOf, InvalidInputError } from './input';
import { InvalidUrlError } from './mongodb-target';
import { hiddenForms, mongoTarget, sqlTarget } from './target';
import { EgressError } from '../../../lib/egress';
import { errorMessage } from '../../../lib/errors';

/** True if a retry may succeed. */
const RETRYABLE: Readonly<Record<DatabaseErrorKind, boolean>> = {
  login: false,
  duplicate: false,
  busy: true,
  timeout: true,
  query: false,
  lost: true,
  protocol: false,
};

/** The outcome for a failed query. Pure. @throws any other error */
function outcomeOfFailure(
  thrown: unknown,
  progress: Progress,
  subject: string,
  mask: (text: string) => string,
): Outcome {
  if (!(thrown instanceof EgressError) && !(thrown instanceof DatabaseError)) throw thrown;
  const detail = excerpt(mask(errorMessage(thrown)));
  if (progress.outcomeUnknown)
    return failFinally('database_unknown', `${subject}: ${detail}. It may have made the change, or not`);
  if (thrown instanceof EgressError) return failConnection('database', thrown, `${subject}: ${detail}`);
  const { kind, serverCode } = thrown;
  const code = kind === 'lost' ? 'connect' : kind;
  const message = `${subject}: ${detail}${serverCode === null ? '' : ` (${serverCode})`}`;
  return { kind: 'fail', error: { code: `database_${code}`, message }, retryable: RETRYABLE[kind] };
}

/** Queries a database, on an open connection if there is one. */
export async function run(ctx: MinimalContext): Promise<Outcome> {
  // The runtime has checked the input against the input schema.
  const input = ctx.input as unknown as DatabaseInput;
  const progress: Progress = { outcomeUnknown: false };
  const mask = redactingAlso(ctx.redact, hiddenForms(input.connection));
  try {
    const request = requestOf(input);
    const { timeoutMs } = request;
    const answer = await bounded(ctx.signal, timeoutMs, (signal) =>
      ask(request, input, { net: ctx.capabilities.net, timeoutMs, signal, progress }),
    );
    const { rows, affected, truncated, ids } = answer;
    return done({ rows, count: rows.length, affected, truncated, ...(ids === undefined ? {} : { ids }) });
  } catch (thrown) {
    if (thrown instanceof InvalidInputError) return invalidConfig(mask(thrown.message));
    if (thrown instanceof InvalidUrlError) return invalidConfig(`"connection": ${mask(thrown.message)}`);
    return outcomeOfFailure(thrown, progress, input.driver, mask);
  }
}

/** Clients are loaded at their first use: each takes a tenth of a second, and most processes need none. */
async function ask(request: Request, { connection }: DatabaseInput, around: QueryContext): Promise<QueryResult> {
  if (request.kind === 'mongodb') {
    const { queryMongo } = require('./mongodb') as typeof import('./mongodb');
    const target = await mongoTarget(connection);
    if (target.database === '' && request.query.database === undefined)
      throw new InvalidInputError('"database" is missing');
    return queryMongo(target, request.query, around);
  }
  const target = sqlTarget(request.driver, connection);
  if (request.driver === 'postgres') {
    const { queryPostgres } = require('./postgres') as typeof import('./postgres');
    return queryPostgres(target, request, around);
  }
  const { queryMysql } = require('./mysql') as typeof import('./mysql');
  return queryMysql(target, request, around);
}
