import type { Document } from 'bson';
import { SINGLE_USE } from '../../../lib/client-pool';
import { EgressError, resetReceivedBytes, secure } from '../../../lib/egress';
import { peerOf } from '../server-url';
import { type QueryResult, DatabaseError, type QueryContext, type DatabaseErrorKind } from './contract';
import { logIn } from './mongodb-login';
import { type RunCommand, changes, type MongoQuery, runQuery } from './mongodb-operations';
import { type HostPort, hostPortOf, type MongoTarget } from './mongodb-target';
import { Wire } from './mongodb-wire';
import { isObject } from '../../../lib/json';

/** Errors of servers by their number. */
const ERROR_KINDS: Readonly<Record<number, DatabaseErrorKind>> = {
  11: 'login',
  13: 'login',
  18: 'login',
  50: 'timeout',
  91: 'lost',
  112: 'busy',
  189: 'lost',
  202: 'busy',
  251: 'busy',
  262: 'timeout',
  10_107: 'busy',
  11_000: 'duplicate',
  11_001: 'duplicate',
  11_600: 'lost',
  11_602: 'lost',
  12_582: 'duplicate',
  13_435: 'busy',
  13_436: 'busy',
};

/** The error in a reply: of the command, of one of its documents, or of the write concern; null if there is none. */
function errorInReply(reply: Document): DatabaseError | null {
  if (Number(reply.ok) !== 1) return databaseErrorOf(reply, '');
  const [failed] = Array.isArray(reply.writeErrors) ? (reply.writeErrors as unknown[]) : [];
  if (isObject(failed)) return databaseErrorOf(failed, ` (${Number(reply.n)} before it were changed)`);
  const { writeConcernError } = reply;
  if (!isObject(writeConcernError)) return null;
  return new DatabaseError('lost', textOf(writeConcernError), String(Number(writeConcernError.code)));
}

function databaseErrorOf(refusal: Document, more: string): DatabaseError {
  const code = Number(refusal.code);
  return new DatabaseError(
    ERROR_KINDS[code] ?? 'query',
    `${textOf(refusal)}${more}`,
    Number.isNaN(code) ? null : String(code),
  );
}

const textOf = ({ errmsg }: Document): string => (typeof errmsg === 'string' ? errmsg : 'the server gave no reason');

/** Runs one operation, at the host that takes writes. @throws DatabaseError, EgressError */
export async function queryMongo(target: MongoTarget, query: MongoQuery, around: QueryContext): Promise<QueryResult> {
  const { net, signal, progress, timeoutMs } = around;
  const { hosts, login, tls, ca } = target;
  return (net.clients ?? SINGLE_USE).use({
    place: JSON.stringify(['mongodb', hosts, login?.user, login?.source, login?.mechanism, tls]),
    credentials: JSON.stringify([login?.password, ca]),
    signal,
    open: (life) => primaryOf(target, { net, timeoutMs, signal: life }),
    begin: (wire) => begin(wire, target),
    async work(wire) {
      try {
        progress.outcomeUnknown = changes(query);
        const answer = await runQuery(askOf(wire, query.database ?? target.database), query, timeoutMs);
        progress.outcomeUnknown = false;
        return answer;
      } catch (fault) {
        // A refusal comes before the change; one that comes in the middle of many documents leaves some changed.
        if (fault instanceof DatabaseError && fault.kind !== 'timeout' && fault.kind !== 'lost')
          progress.outcomeUnknown = false;
        throw fault;
      }
    },
  });
}

/** A reused connection's host may have stopped accepting writes: then it is closed, and the primary is searched again. */
async function begin(wire: Wire, target: MongoTarget): Promise<void> {
  resetReceivedBytes(wire.socket);
  if (wire.used && !takesWrites(await greet(wire, target))) {
    wire.close();
    throw new EgressError('connect', 'the host takes no writes any more');
  }
  wire.used = true;
}

/** A lone server, a router and a primary do. */
const takesWrites = (hello: Document): boolean => hello.isWritablePrimary === true || hello.ismaster === true;

/** Maximum number of hosts that are tried to find the one that accepts writes. */
const MAX_HOSTS = 50;

/**
 * A logged-in connection to the primary of a deployment. Hosts are tried until one is the primary; hosts that others name
 * are subject to the same address checks.
 */
async function primaryOf(target: MongoTarget, around: Omit<QueryContext, 'progress'>): Promise<Wire> {
  const left = [...target.hosts];
  const seen = new Set<string>();
  let last: unknown = new EgressError('connect', 'no host of the deployment takes writes');
  for (let host = left.shift(); host !== undefined && seen.size < MAX_HOSTS; host = left.shift()) {
    const name = `${host.host}:${host.port}`;
    if (seen.has(name)) continue;
    seen.add(name);
    let wire: Wire | null = null;
    try {
      wire = await dial(host, target, around);
      const hello = await greet(wire, target);
      if (takesWrites(hello)) return await loggedIn(wire, target, hello);
      const named = typeof hello.primary === 'string' ? hostPortOf(hello.primary) : null;
      if (named !== null) left.unshift(named);
      wire.close();
    } catch (fault) {
      wire?.close();
      // Another host may be up. An error of the login or command would be the same there.
      if (!(fault instanceof EgressError) || (fault.kind !== 'connect' && fault.kind !== 'dns')) throw fault;
      last = fault;
    }
  }
  throw last;
}

async function dial(
  { host, port }: HostPort,
  target: MongoTarget,
  around: Omit<QueryContext, 'progress'>,
): Promise<Wire> {
  const { net, timeoutMs, signal } = around;
  const peer = peerOf({ host, tls: target.tls, ca: target.ca });
  const socket = await net.connect({ host, port, timeoutMs, signal });
  return new Wire(peer === null ? socket : await secure(socket, peer, timeoutMs), host);
}

const greet = (wire: Wire, { login }: MongoTarget): Promise<Document> =>
  askOf(
    wire,
    'admin',
  )({
    hello: 1,
    saslSupportedMechs: login === null ? undefined : `${login.source}.${login.user}`,
  });

async function loggedIn(wire: Wire, { login }: MongoTarget, { saslSupportedMechs: known }: Document): Promise<Wire> {
  if (login === null) return wire;
  const newer = !Array.isArray(known) || known.includes('SCRAM-SHA-256');
  await logIn(login, login.mechanism ?? (newer ? 'SCRAM-SHA-256' : 'SCRAM-SHA-1'), askOf(wire, login.source));
  return wire;
}

/** Commands to a database; a refusal is thrown. */
const askOf =
  (wire: Wire, database: string): RunCommand =>
  async (command) => {
    const reply = await wire.ask(database, command);
    const refusal = errorInReply(reply);
    if (refusal !== null) throw refusal;
    return reply;
  };
