import { type Complaint, DatabaseError } from './contract';
import type { Reader } from './postgres-wire';

/** Classes of SQLSTATE, and states that say more than their class. */
const COMPLAINTS: Readonly<Record<string, Complaint>> = {
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

/** What an ErrorResponse says: fields, each a letter and a text, up to a zero. */
export function refusalOf(body: Reader): DatabaseError {
  let [state, message] = ['', 'the server gave no reason'];
  for (;;) {
    const [letter = 0] = body.take(1);
    if (letter === 0) break;
    const text = body.text();
    if (letter === STATE) state = text;
    if (letter === MESSAGE) message = text;
  }
  const complaint = COMPLAINTS[state] ?? COMPLAINTS[state.slice(0, 2)] ?? 'query';
  return new DatabaseError(complaint, message, state === '' ? null : state);
}

const STATE = 'C'.charCodeAt(0);
const MESSAGE = 'M'.charCodeAt(0);
