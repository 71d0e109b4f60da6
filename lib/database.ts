import { DURABLE } from './write-concern';
import type { ConnectOptions } from 'mongoose';

/**
 * Connection options of all processes. Writes are acknowledged only when durable, and by a majority in a replica set. A
 * dead server is detected in about four seconds (a heartbeat each second, with a timeout of three); pending operations
 * then fail.
 */
export const DATABASE_OPTIONS = {
  // Services create their indexes, and the first index or document of a collection creates it.
  autoIndex: false,
  autoCreate: false,
  ...DURABLE,
  heartbeatFrequencyMS: 1_000,
  connectTimeoutMS: 3_000,
  serverSelectionTimeoutMS: 3_000,
  /** For a server that answers heartbeats but not this command. */
  socketTimeoutMS: 60_000,
  // Mongoose would buffer commands for ten seconds while disconnected.
  bufferCommands: false,
} as const satisfies ConnectOptions;

/** The driver's names of connection faults; mongoose and the driver share no error class. */
const WAY = new Set([
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoServerSelectionError',
  'MongooseServerSelectionError',
  'MongoPoolClearedError',
  // The only one without the driver's prefix.
  'PoolClearedOnNetworkError',
  'MongoNotConnectedError',
  'MongoTopologyClosedError',
]);

/** Codes of a server that is shutting down or no longer primary (MongoDB, "Server Discovery And Monitoring"). */
const LEAVING = new Set([91, 189, 10107, 11600, 11602, 13435, 13436]);

/** True when a fault concerns the connection to the database, not the operation. */
export function isUnreachable(fault: unknown): boolean {
  if (typeof fault !== 'object' || fault === null) return false;
  if ('name' in fault && typeof fault.name === 'string' && WAY.has(fault.name)) return true;
  if (isCutShort(fault)) return true;
  return 'code' in fault && typeof fault.code === 'number' && LEAVING.has(fault.code);
}

/**
 * True for a bulk write that ended with its connection: the driver drops the fault's name. A bulk write that the server
 * answered has write errors or a code.
 */
const isCutShort = (fault: object): boolean =>
  'name' in fault &&
  fault.name === 'MongoBulkWriteError' &&
  'writeErrors' in fault &&
  Array.isArray(fault.writeErrors) &&
  fault.writeErrors.length === 0 &&
  (!('code' in fault) || fault.code === undefined);
