import { createHash } from 'node:crypto';
import { Binary, type Document } from 'bson';
import { EgressError } from '../../../lib/egress';
import type { MongoMechanism, MongoTarget } from './mongodb-target';
import { prepared, scram } from './scram';

type Login = NonNullable<MongoTarget['login']>;

/** Puts one command to the database of the user, and gives a reply that is no refusal. */
type RunCommand = (command: Document) => Promise<Document>;

/** SCRAM as MongoDB carries it. @throws DatabaseError, EgressError */
export async function logIn({ user, password }: Login, mechanism: MongoMechanism, ask: RunCommand): Promise<void> {
  const talk =
    mechanism === 'SCRAM-SHA-256'
      ? scram('sha256', user, prepared(password))
      : // The older one has a hash of the password from before it.
        scram('sha1', user, createHash('md5').update(`${user}:mongo:${password}`).digest('hex'));
  const begun = await ask({
    saslStart: 1,
    mechanism,
    payload: bytes(talk.first),
    options: { skipEmptyExchange: true },
  });
  const conversationId: unknown = begun.conversationId;
  const proof = await talk.prove(payloadOf(begun));
  const ended = await ask({ saslContinue: 1, conversationId, payload: bytes(proof) });
  talk.check(payloadOf(ended));
  if (ended.done !== true) await ask({ saslContinue: 1, conversationId, payload: bytes('') });
}

const bytes = (text: string): Binary => new Binary(Buffer.from(text));

function payloadOf({ payload }: Document): string {
  if (payload instanceof Binary) return Buffer.from(payload.value()).toString();
  throw new EgressError('protocol', 'the server does not log in as MongoDB does');
}
