import { ServerError } from '../bson/error';
import { isNumeric, toDouble } from '../bson/numeric';
import { isDoc, type Maybe } from '../bson/value';
import type { Command } from './command';

const READ_LEVELS = new Set(['local', 'available', 'majority']);
const REPLICATED_LEVELS = new Set(['linearizable', 'snapshot']);

/**
 * Checks read and write concerns, transactions, collations and the API version, as a standalone server does:
 * unsupported ones are rejected before anything runs.
 * @throws ServerError 2, 9, 20, 123, 238, 322
 */
export function checkConcerns(command: Command): void {
  if (command.has('txnNumber') || command.has('startTransaction') || command.has('autocommit'))
    throw new ServerError('IllegalOperation', 'Transaction numbers are only allowed on a replica set member or mongos');
  if (command.has('readConcern')) checkReadConcern(command);
  if (command.has('writeConcern')) checkWriteConcern(command);
  if (command.has('collation')) refuseCollation(command.value('collation'));
  const version = command.optionalString('apiVersion');
  if (version !== undefined && version !== '1') throw new ServerError(322, 'API version must be "1"');
}

/** Only the simple collation (comparison by bytes) is supported. @throws ServerError 238 for any other */
export function refuseCollation(spec: Maybe): void {
  if (spec === undefined || spec === null) return;
  if (isDoc(spec) && (spec.size === 0 || spec.get('locale') === 'simple')) return;
  throw new ServerError('NotImplemented', "The built-in store does not have collations, except {locale: 'simple'}.");
}

function checkReadConcern(command: Command): void {
  const level = command.doc('readConcern')?.get('level');
  if (level === undefined) return;
  if (typeof level === 'string' && REPLICATED_LEVELS.has(level))
    throw new ServerError(123, `node needs to be a replica set member to use read concern level ${level}`);
  if (typeof level !== 'string' || !READ_LEVELS.has(level))
    throw new ServerError(
      'BadValue',
      `Enumeration value '${String(level)}' for field 'readConcern.level' is not a valid value.`,
    );
}

function checkWriteConcern(command: Command): void {
  const concern = command.doc('writeConcern');
  const w = concern?.get('w');
  if (typeof w === 'string' && w !== 'majority')
    throw new ServerError(
      'BadValue',
      `cannot use non-majority 'w' mode "${w}" when a host is not a member of a replica set`,
    );
  if (w === undefined || typeof w === 'string') return;
  if (!isNumeric(w)) throw new ServerError('FailedToParse', 'w has to be a number, string, or object');
  const nodes = toDouble(w);
  if (nodes < 0 || nodes > 50)
    throw new ServerError('FailedToParse', 'w has to be a non-negative number and not greater than 50');
  if (nodes > 1) throw new ServerError('BadValue', "cannot use 'w' > 1 when a host is not replicated");
}
