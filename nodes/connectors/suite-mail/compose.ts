import { parseMailAddress } from '../../../lib/mail-address';
import type { JsonObject } from '../../../lib/json';
import {
  type Answered,
  type MessageContent,
  mime,
  InvalidInputError as Malformed,
} from '../../messaging/email-send/mime';
import type { ActionContext } from '../contract';
import { InvalidInputError } from '../invalid-input-error';

/** A message of a step in MIME, with its Bcc header, since the provider reads the recipients there. @throws InvalidInputError */
export async function compose(
  input: JsonObject,
  { idempotencyKey, now }: ActionContext,
  answered?: Answered,
): Promise<Buffer> {
  // The runtime has checked the input against the action's schema.
  const letter = input as unknown as MessageContent & { from?: string };
  if (letter.text === undefined && letter.html === undefined)
    throw new InvalidInputError('"text" or "html" must say something');
  const from = letter.from === undefined ? null : parseMailAddress(letter.from);
  if (from === null && letter.from !== undefined) {
    throw new InvalidInputError('"from" must be one address, such as ada@example.com or Ada <ada@example.com>');
  }
  const domain = from === null ? 'message.invalid' : from.address.slice(from.address.lastIndexOf('@') + 1);
  const messageId = `<${idempotencyKey}@${domain}>`;
  try {
    const { bytes } = await mime(letter, { from, messageId, now, keepBcc: true }, answered);
    // The provider sets the Message-ID, since the sender's domain is not known here.
    return from === null ? without(bytes, `Message-ID: ${messageId}\r\n`) : bytes;
  } catch (thrown) {
    if (thrown instanceof Malformed) throw new InvalidInputError(thrown.message);
    throw thrown;
  }
}

/** The bytes but for the first place where the text stands. */
function without(bytes: Buffer, text: string): Buffer {
  const begin = bytes.indexOf(text);
  return begin < 0 ? bytes : Buffer.concat([bytes.subarray(0, begin), bytes.subarray(begin + Buffer.byteLength(text))]);
}
