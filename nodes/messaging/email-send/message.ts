import { type MailAddress, parseMailAddress } from '../../../lib/mail-address';
import type { NodeContext } from '../../contract';
import { type MessageContent, mime, InvalidInputError } from './mime';

/** The input, validated by the schema. */
export interface EmailInput extends MessageContent {
  from?: string;
  connection?: Connection;
  timeout?: string | number;
}

/** A mail server of the tenant's. */
export interface Connection {
  host: string;
  port?: number;
  security?: 'tls' | 'starttls' | 'none';
  user?: string;
  password?: string;
  ca?: string;
}

/** A message, ready to be sent, and to whom. */
export interface Message {
  readonly id: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly bytes: Buffer;
}

/** The message in MIME, with its envelope. @throws InvalidInputError */
export async function compose(
  input: EmailInput,
  from: MailAddress,
  { idempotencyKey, now }: Pick<NodeContext, 'idempotencyKey' | 'now'>,
): Promise<Message> {
  // Receivers can detect a repetition by it, whatever the results of earlier attempts.
  const id = `<${idempotencyKey}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`;
  const { bytes, recipients } = await mime(input, { from, messageId: id, now, keepBcc: false });
  return { id, from: from.address, to: recipients, bytes };
}

/** Whom a message of the tenant's own server is from. @throws InvalidInputError */
export function sender(text: string | undefined): MailAddress {
  if (text === undefined) throw new InvalidInputError('"from" must say whom the message is from');
  const from = parseMailAddress(text);
  if (from === null)
    throw new InvalidInputError('"from" must be one address, such as ada@example.com or Ada <ada@example.com>');
  return from;
}
