import { MongoClient, type MongoClientOptions, MongoError, MongoNetworkError, MongoServerError } from 'mongodb';
import { rootCertificates } from 'node:tls';
import { EgressError, pinnedLookup } from '../../../lib/egress';
import { errorMessage } from '../../../lib/errors';
import { isObject } from '../../../lib/json';
import { type Answer, type Complaint, DatabaseError, type Surroundings } from './contract';
import { changes, type MongoQuery, perform } from './mongodb-operations';
import { type HostPort, hostPortOf, type MongoTarget } from './mongodb-target';

/** Runs one operation, at the host that takes writes. @throws DatabaseError, EgressError */
export async function queryMongo(target: MongoTarget, query: MongoQuery, around: Surroundings): Promise<Answer> {
  let client: MongoClient | null = null;
  try {
    client = await reach(target, around);
    around.progress.unsure = changes(query);
    const answer = await perform(client.db(query.database ?? target.database), query);
    around.progress.unsure = false;
    return answer;
  } catch (fault) {
    const complaint = complaintOf(fault);
    if (complaint instanceof DatabaseError && WHOLE.has(complaint.complaint)) around.progress.unsure = false;
    throw complaint;
  } finally {
    if (client !== null) leave(client);
  }
}

/** Complaints before which nothing was changed. One that comes in the middle of many documents leaves some changed. */
const WHOLE = new Set<Complaint>(['login', 'duplicate', 'busy', 'query', 'protocol']);

/**
 * A client of the one host that takes writes. The driver would look for it by itself, and dial whatever addresses the hosts
 * name; so it is told of one host at a time, and those that they name are checked as any other.
 */
async function reach(target: MongoTarget, around: Surroundings): Promise<MongoClient> {
  const left = [...target.hosts];
  const seen = new Set<string>();
  let last: unknown = new EgressError('connect', 'no host of the deployment takes writes');
  for (let host = left.shift(); host !== undefined; host = left.shift()) {
    const name = `${host.host}:${host.port}`;
    if (seen.has(name)) continue;
    seen.add(name);
    if (around.signal.aborted) break;
    try {
      const found = await ask(host, target, around);
      if (found.kind === 'primary') return found.client;
      if (found.primary !== null) left.unshift(found.primary);
    } catch (fault) {
      // Another host may be up; a login that is refused, or a host that must not be reached, stays so.
      if (fault instanceof EgressError ? fault.kind === 'blocked' : !(fault instanceof MongoNetworkError)) {
        if (!isSelection(fault)) throw fault;
      }
      last = fault;
    }
  }
  throw last;
}

type Found = { kind: 'primary'; client: MongoClient } | { kind: 'other'; primary: HostPort | null };

async function ask(host: HostPort, target: MongoTarget, { net, timeoutMs, signal }: Surroundings): Promise<Found> {
  const addresses = await net.addresses(host);
  const name = host.host.includes(':') ? `[${host.host}]` : host.host;
  const client = new MongoClient(`mongodb://${name}:${host.port}/`, {
    ...optionsOf(target, timeoutMs),
    lookup: pinnedLookup(addresses),
  });
  const end = (): void => leave(client);
  signal.addEventListener('abort', end, { once: true });
  try {
    await client.connect();
    const hello = await client.db('admin').command({ hello: 1 });
    // A lone server, a router and a primary take writes.
    if (hello.isWritablePrimary === true || hello.ismaster === true) return { kind: 'primary', client };
    leave(client);
    return { kind: 'other', primary: typeof hello.primary === 'string' ? hostPortOf(hello.primary) : null };
  } catch (fault) {
    leave(client);
    throw fault;
  }
}

function optionsOf({ login, tls, ca }: MongoTarget, timeoutMs: number): MongoClientOptions {
  return {
    directConnection: true,
    appName: 'everstep',
    maxPoolSize: 1,
    serverSelectionTimeoutMS: timeoutMs,
    connectTimeoutMS: timeoutMs,
    // Sent along with every operation, so that the server ends it too.
    timeoutMS: timeoutMs,
    promoteLongs: true,
    tls: tls !== 'off',
    tlsAllowInvalidCertificates: tls === 'none',
    tlsAllowInvalidHostnames: tls === 'none' || tls === 'issuer',
    ...(ca === undefined || tls === 'off' ? {} : { ca: [...rootCertificates, ca] }),
    ...(login === null
      ? {}
      : {
          auth: { username: login.user, password: login.password },
          authSource: login.source,
          authMechanism: login.mechanism,
        }),
  };
}

/** The driver's own goodbye may wait for a server that is gone; nobody else waits for it. */
function leave(client: MongoClient): void {
  client.close(true).catch(() => {
    // What cannot be closed has been closed.
  });
}

const isSelection = (fault: unknown): boolean =>
  fault instanceof MongoError && fault.name === 'MongoServerSelectionError';

/** Errors of servers by their number. */
const COMPLAINTS: Readonly<Record<number, Complaint>> = {
  11_000: 'duplicate',
  11_001: 'duplicate',
  12_582: 'duplicate',
  13: 'login',
  18: 'login',
  50: 'timeout',
  112: 'busy',
  189: 'lost',
  202: 'busy',
  251: 'busy',
  262: 'timeout',
  10_107: 'busy',
  11_600: 'lost',
  11_602: 'lost',
  13_435: 'busy',
  13_436: 'busy',
};

function complaintOf(fault: unknown): unknown {
  if (fault instanceof EgressError || fault instanceof DatabaseError) return fault;
  const cause = { cause: fault };
  if (fault instanceof MongoServerError) {
    const code = typeof fault.code === 'number' ? fault.code : null;
    const complaint = code === null ? 'query' : (COMPLAINTS[code] ?? 'query');
    return new DatabaseError(complaint, fault.message, code === null ? null : String(code), cause);
  }
  if (!(fault instanceof MongoError)) return fault;
  const text = errorMessage(fault);
  if (/certificate|ERR_TLS|self.signed/i.test(`${text} ${causeOf(fault)}`)) {
    return new DatabaseError('protocol', text, null, cause);
  }
  if (fault.name === 'MongoOperationTimeoutError') return new DatabaseError('lost', text, null, cause);
  const lost = fault instanceof MongoNetworkError || isSelection(fault) || fault.name === 'MongoTopologyClosedError';
  return new DatabaseError(lost ? 'lost' : 'query', text, null, cause);
}

const causeOf = (fault: Error): string =>
  isObject(fault.cause) ? String(fault.cause.code ?? fault.cause.message) : '';
