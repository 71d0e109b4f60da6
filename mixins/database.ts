import type { ConnectOptions } from 'mongoose';

/**
 * How every process talks to the database. Nothing is acknowledged to anybody before it is on disk, and with a majority
 * where there are several. A server that has died without a word is noticed in about four seconds, by a look each
 * second that must be answered in three; what was under way is then given up, so that its callers hear of it.
 */
export const DATABASE_OPTIONS = {
  autoIndex: false,
  writeConcern: { w: 'majority', journal: true },
  heartbeatFrequencyMS: 1_000,
  connectTimeoutMS: 3_000,
  serverSelectionTimeoutMS: 3_000,
  /** A server that answers looks, but never this command. */
  socketTimeoutMS: 60_000,
  // Mongoose would keep what is asked of a lost database for ten seconds before it even tries.
  bufferCommands: false,
} as const satisfies ConnectOptions;

/** Faults of the way to the database, by the driver's names; there is no class that mongoose and the driver share. */
const WAY = new Set([
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoServerSelectionError',
  'MongooseServerSelectionError',
  'MongoPoolClearedError',
  // Unlike all others, it does not bear the driver's name.
  'PoolClearedOnNetworkError',
  'MongoNotConnectedError',
  'MongoTopologyClosedError',
]);

/** Codes of a server that is about to leave, or is no primary any more (MongoDB, "Server Discovery And Monitoring"). */
const LEAVING = new Set([91, 189, 10107, 11600, 11602, 13435, 13436]);

/** True when a fault says that the database could not be asked, and nothing about the question. */
export function isUnreachable(fault: unknown): boolean {
  if (typeof fault !== 'object' || fault === null) return false;
  if ('name' in fault && typeof fault.name === 'string' && WAY.has(fault.name)) return true;
  if (isCutShort(fault)) return true;
  return 'code' in fault && typeof fault.code === 'number' && LEAVING.has(fault.code);
}

/**
 * True of a bulk of writes that ended with its connection: the driver takes the fault's name away. Of a bulk that the
 * server has answered there are faults of single writes, or a code.
 */
const isCutShort = (fault: object): boolean =>
  'name' in fault &&
  fault.name === 'MongoBulkWriteError' &&
  'writeErrors' in fault &&
  Array.isArray(fault.writeErrors) &&
  fault.writeErrors.length === 0 &&
  (!('code' in fault) || fault.code === undefined);
