import type { Socket } from 'node:net';
import { EgressError } from '../../../lib/egress';
import { errorMessage } from '../../../lib/errors';
import { type DatabaseErrorKind, DatabaseError } from './contract';

/** SQLSTATE classes, and single states that differ from their class. */
const ERROR_KINDS: Readonly<Record<string, DatabaseErrorKind>> = {
  '08': 'lost',
  '28': 'login',
  '40': 'busy',
  '53': 'busy',
  '23505': 'duplicate',
  '55P03': 'busy',
  '57014': 'timeout',
  '57P01': 'lost',
  '57P02': 'lost',
  '57P03': 'busy',
};

/** The error for a failure of the client with this connection. */
export function clientError(fault: unknown, socket: Socket, host: string): DatabaseError | EgressError {
  if (fault instanceof DatabaseError || fault instanceof EgressError) return fault;
  if (socket.errored instanceof EgressError) return socket.errored;
  const cause = { cause: fault };
  const message = errorMessage(fault);
  const state = fault instanceof Error && 'code' in fault ? String(fault.code) : '';
  if (/^[0-9A-Z]{5}$/.test(state) && fault instanceof Error && 'severity' in fault) {
    return new DatabaseError(ERROR_KINDS[state] ?? ERROR_KINDS[state.slice(0, 2)] ?? 'query', message, state, cause);
  }
  if (message.startsWith('SASL:')) return new DatabaseError('login', message, null, cause);
  if (socket.destroyed || socket.readableEnded)
    return new EgressError('connect', `${host} closed the connection`, cause);
  socket.destroy();
  return new EgressError('protocol', `${host} does not answer as PostgreSQL does`, cause);
}

const HEADER_BYTES = 5;
/** ErrorResponse and NoticeResponse. */
const TYPES = new Set(['E'.charCodeAt(0), 'N'.charCodeAt(0)]);

/**
 * Inspects bytes of the server before the client, and throws for an error or notice that does not end with two zeros: the
 * client would search for them in an endless loop.
 */
export function checkErrorMessages(): (chunk: Buffer) => void {
  const header = Buffer.alloc(HEADER_BYTES);
  let inHeader = 0;
  let left = 0;
  let end = 0;
  return (chunk) => {
    for (let at = 0; at < chunk.length; ) {
      if (inHeader < HEADER_BYTES) {
        header[inHeader] = chunk[at] as number;
        [inHeader, at] = [inHeader + 1, at + 1];
        if (inHeader < HEADER_BYTES) continue;
        left = header.readUInt32BE(1) - 4;
        end = 0xffff;
      } else {
        const part = chunk.subarray(at, at + left);
        for (const byte of part.subarray(-2)) end = ((end << 8) | byte) & 0xffff;
        [left, at] = [left - part.length, at + part.length];
      }
      if (left > 0) continue;
      if (left < 0 || (TYPES.has(header[0] as number) && end !== 0)) throw new Error('a message without its end');
      inHeader = 0;
    }
  };
}
