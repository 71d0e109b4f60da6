import { createHash } from 'node:crypto';
import { DatabaseError, type SqlTarget } from './contract';
import { frame, int32, type PostgresWire, type Reader } from './postgres-wire';
import { prepared, scram } from './scram';

/** What stops a statement of this connection from outside. */
export interface CancelKey {
  readonly processId: number;
  readonly secret: Buffer;
}

/** Version 3.0 of the protocol. */
const VERSION = 196_608;

/** Begins a session. Null for a server that does not say how its statements are stopped. @throws DatabaseError, EgressError */
export async function logIn(wire: PostgresWire, target: SqlTarget): Promise<CancelKey | null> {
  const { user, database } = target;
  const settings = {
    user,
    database: database === '' ? user : database,
    application_name: 'everstep',
    client_encoding: 'UTF8',
  };
  const parts = Object.entries(settings)
    .flat()
    .map((text) => Buffer.from(`${text}\0`));
  const length = 8 + parts.reduce((sum, part) => sum + part.length, 0) + 1;
  wire.send(int32(length), int32(VERSION), ...parts, Buffer.alloc(1));
  let key: CancelKey | null = null;
  for (;;) {
    const { type, body } = await wire.next();
    if (type === 'Z') return key;
    if (type === 'R') await authenticate(wire, target, body);
    else if (type === 'K') key = { processId: body.int32(), secret: Buffer.from(body.take()) };
    else throw wire.nonsense();
  }
}

/** Kinds of AuthenticationRequest. */
const OK = 0;
const CLEARTEXT = 3;
const MD5 = 5;
const SASL = 10;

async function authenticate(wire: PostgresWire, target: SqlTarget, body: Reader): Promise<void> {
  const { user, password, tls } = target;
  switch (body.int32()) {
    case OK:
      return;
    case CLEARTEXT:
      if (tls === 'off')
        throw new DatabaseError('login', 'the server asks for the password in the open, without TLS', null);
      return wire.send(frame('p', password));
    case MD5: {
      const inner = createHash('md5')
        .update(password + user)
        .digest('hex');
      return wire.send(frame('p', `md5${createHash('md5').update(inner).update(body.take(4)).digest('hex')}`));
    }
    case SASL:
      return sasl(wire, target, body);
    default:
      throw new DatabaseError('login', 'the server asks for a way to log in that is not known here', null);
  }
}

const MECHANISM = 'SCRAM-SHA-256';

async function sasl(wire: PostgresWire, { password }: SqlTarget, offered: Reader): Promise<void> {
  let known = false;
  for (let name = offered.text(); name !== ''; name = offered.text()) known ||= name === MECHANISM;
  if (!known) throw new DatabaseError('login', `the server does not offer ${MECHANISM}`, null);
  // The name was in the first message already, and is not looked at here.
  const talk = scram('sha256', '', prepared(password));
  const first = Buffer.from(talk.first);
  wire.send(frame('p', MECHANISM, int32(first.length), first));
  wire.send(frame('p', Buffer.from(await talk.prove(await said(wire, 11)))));
  talk.check(await said(wire, 12));
}

async function said(wire: PostgresWire, kind: number): Promise<string> {
  const { type, body } = await wire.next();
  if (type !== 'R' || body.int32() !== kind) throw wire.nonsense();
  return body.take().toString();
}
