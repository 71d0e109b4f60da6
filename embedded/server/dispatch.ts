import { performance } from 'node:perf_hooks';
import { decode } from '../bson/decode';
import { ServerError } from '../bson/error';
import type { Outcome } from '../store/scheduler';
import { TimeSlice } from '../store/task';
import { Command } from './command';
import { COMMANDS } from './commands';
import { checkConcerns } from './concerns';
import type { CommandSpec, Context, Server, Session } from './context';
import type { Fault } from './fail-points';
import { errorReply, type Reply } from './reply';
import type { Request } from './wire';

/** Outcome of a request: a reply, or a closed connection (by a fail point). */
export type Answer = { kind: 'reply'; reply: Reply } | { kind: 'cut' };

/** Fields allowed in any command. */
const GENERIC = new Set(
  (
    '$db $readPreference lsid txnNumber autocommit startTransaction stmtId stmtIds $clusterTime readConcern writeConcern ' +
    'maxTimeMS comment apiVersion apiStrict apiDeprecationErrors allowImplicitCollectionCreation rawData ' +
    'mayBypassWriteBlocking clientOperationKey $client $configServerState $queryOptions databaseVersion ' +
    'shardVersion $audit $oplogQueryData $replData $gleStats bypassDocumentValidation'
  ).split(' '),
);

/** A defect fails only the request that hits it. */
const asServerError = (error: unknown): ServerError =>
  error instanceof ServerError
    ? error
    : new ServerError('InternalError', error instanceof Error ? error.message : String(error));

const failed = (error: ServerError): Answer => ({ kind: 'reply', reply: errorReply(error) });

/** Runs one request and replies exactly once. Never throws for client input. */
export function dispatch(server: Server, session: Session, request: Request, answer: (answer: Answer) => void): void {
  let prepared: Prepared;
  try {
    prepared = prepare(server, session, request);
  } catch (error) {
    return answer(failed(asServerError(error)));
  }
  const { context, fault } = prepared;
  server.counters.commands++;
  if (fault === undefined) return run(prepared, answer);
  const meet = (): void => {
    if (fault.closeConnection) answer({ kind: 'cut' });
    else if (fault.error !== undefined) answer({ kind: 'reply', reply: errorReply(fault.error, fault.labels) });
    else run(prepared, (result) => answer(withConcernError(result, fault)));
  };
  if (fault.blockMs > 0) setTimeout(meet, Math.min(fault.blockMs, Math.ceil(context.reader.timeSlice.leftMs) + 1));
  else meet();
}

function withConcernError(answer: Answer, fault: Fault): Answer {
  if (answer.kind === 'cut' || fault.writeConcernError === undefined) return answer;
  const reply = Buffer.isBuffer(answer.reply) ? decode(answer.reply) : answer.reply;
  reply.set('writeConcernError', fault.writeConcernError);
  if (fault.labels.length > 0) reply.set('errorLabels', [...fault.labels]);
  return { kind: 'reply', reply };
}

interface Prepared {
  readonly spec: CommandSpec;
  readonly context: Context;
  readonly fault: Fault | undefined;
}

function prepare(server: Server, session: Session, request: Request): Prepared {
  const command = new Command(request);
  const { db } = command;
  const spec = Object.hasOwn(COMMANDS, command.name) ? COMMANDS[command.name] : undefined;
  if (spec === undefined) throw new ServerError('CommandNotFound', `no such command: '${command.name}'`);
  if (!session.login.done && spec.open !== true)
    throw new ServerError('Unauthorized', `Command ${command.name} requires authentication`);
  if (spec.adminOnly === true && db !== 'admin')
    throw new ServerError('Unauthorized', `${command.name} may only be run against the admin database.`);
  if (command.name === 'configureFailPoint' && !server.testCommands)
    throw new ServerError('CommandNotFound', `no such command: '${command.name}'`);
  if (spec.fields !== undefined) checkFields(command, spec.fields);
  checkConcerns(command);
  const timeSlice = new TimeSlice(deadline(command));
  const context: Context = { server, store: server.store, session, command, db, reader: { timeSlice, snapshot: {} } };
  return { spec, context, fault: server.failPoints.strike(command.name) };
}

function checkFields(command: Command, known: ReadonlySet<string>): void {
  for (const name of command.fieldNames())
    if (name !== command.name && !known.has(name) && !GENERIC.has(name))
      throw new ServerError(40415, `BSON field '${command.name}.${name}' is an unknown field.`);
}

function deadline(command: Command): number {
  // In getMore this is the time to wait for new data, which these cursors never do.
  if (command.name === 'getMore') return Number.POSITIVE_INFINITY;
  const ms = command.integer('maxTimeMS') ?? 0;
  if (ms < 0 || ms > 0x7fff_ffff) throw new ServerError('BadValue', `${ms} value for maxTimeMS is out of range`);
  return ms === 0 ? Number.POSITIVE_INFINITY : performance.now() + ms;
}

let nextOperation = 1;

function run({ spec, context }: Prepared, answer: (answer: Answer) => void): void {
  if (spec.kind === 'instant') return answer(instant(() => spec.run(context)));
  let kind: 'read' | 'write';
  let removes: boolean;
  try {
    removes = spec.kind === 'write' && spec.removes?.(context) === true;
    kind = spec.kind === 'read' && spec.writes?.(context) !== true ? 'read' : 'write';
  } catch (error) {
    return answer(failed(asServerError(error)));
  }
  const { server, command, db, reader } = context;
  const id = nextOperation++;
  server.operations.set(id, {
    id,
    command: command.name,
    namespace: db,
    startedAtMs: Date.now(),
    timeSlice: reader.timeSlice,
  });
  context.store.scheduler.submit<Reply>({
    kind,
    timeSlice: reader.timeSlice,
    removes: removes,
    start: (scheduled) => spec.run({ ...context, reader: scheduled }),
    settle: (outcome: Outcome<Reply>) => {
      server.operations.delete(id);
      answer(outcome.kind === 'done' ? { kind: 'reply', reply: outcome.value } : failed(outcome.error));
    },
  });
}

function instant(make: () => Reply): Answer {
  try {
    return { kind: 'reply', reply: make() };
  } catch (error) {
    return failed(asServerError(error));
  }
}
