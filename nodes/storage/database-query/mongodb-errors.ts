import type { Document } from 'bson';
import { isObject } from '../../../lib/json';
import { type DatabaseErrorKind, DatabaseError } from './contract';

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

/**
 * What a reply complains of: the command as a whole, one of its documents, or that a change may not last. Null when it
 * complains of nothing.
 */
export function errorInReply(reply: Document): DatabaseError | null {
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
