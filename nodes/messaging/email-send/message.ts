import MailComposer from 'nodemailer/lib/mail-composer';
import { decodeBase64 } from '../../../lib/base64';
import { isToken } from '../../../lib/egress';
import { type MailAddress, parseMailAddress, parseMailAddresses } from '../../../lib/mail-address';
import type { NodeContext } from '../../contract';

/** The input as the manifest's schema promises it. */
export interface EmailInput {
  to: string | string[];
  cc?: string | string[];
  bcc?: string | string[];
  reply_to?: string | string[];
  from?: string;
  subject: string;
  text?: string;
  html?: string;
  headers?: Record<string, string>;
  attachments?: Attachment[];
  connection?: Connection;
  timeout?: string | number;
}

interface Attachment {
  filename: string;
  content?: string;
  content_base64?: string;
  content_type?: string;
  cid?: string;
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

/** Thrown with what is wrong with the configuration, in words for its author. */
export class Unusable extends Error {}

const MAX_RECIPIENTS = 100;
const MAX_ATTACHED_BYTES = 10 * 1024 * 1024;

/** Headers that the step makes itself; a second one would be read by some and not by others. */
const OWNED =
  /^(?:from|to|cc|bcc|sender|reply-to|subject|date|message-id|mime-version|content-.*|received|return-path|dkim-signature|arc-.*)$/i;

/** The message in MIME. @throws Unusable */
export async function compose(
  input: EmailInput,
  from: MailAddress,
  { idempotencyKey, now }: Pick<NodeContext, 'idempotencyKey' | 'now'>,
): Promise<Message> {
  const to = mailboxes('to', input.to);
  const cc = mailboxes('cc', input.cc);
  const bcc = mailboxes('bcc', input.bcc);
  const everybody = [...new Set([...to, ...cc, ...bcc].map(({ address }) => address))];
  if (to.length === 0) throw new Unusable('"to" names nobody');
  if (everybody.length > MAX_RECIPIENTS) {
    throw new Unusable(`${everybody.length} addresses are more than ${MAX_RECIPIENTS}; send to them in a loop`);
  }
  // Receivers can tell a repetition by it, whatever became of the attempts before.
  const id = `<${idempotencyKey}@${from.address.slice(from.address.lastIndexOf('@') + 1)}>`;
  const bytes = await new MailComposer({
    // It writes into what it is given.
    from: { ...from },
    to,
    cc,
    replyTo: mailboxes('reply_to', input.reply_to),
    subject: line('subject', input.subject),
    messageId: id,
    date: new Date(now),
    text: input.text,
    html: input.html,
    headers: Object.entries(input.headers ?? {}).map(([key, value]) => header(key, value)),
    attachments: attachments(input.attachments ?? []),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build();
  return { id, from: from.address, to: everybody, bytes };
}

/** Whom a message of the tenant's own server is from. @throws Unusable */
export function sender(text: string | undefined): MailAddress {
  if (text === undefined) throw new Unusable('"from" must say whom the message is from');
  const from = parseMailAddress(text);
  if (from === null) throw new Unusable('"from" must be one address, such as ada@example.com or Ada <ada@example.com>');
  return from;
}

function mailboxes(key: string, value: string | string[] = []): MailAddress[] {
  return [value].flat().flatMap((text) => {
    const found = parseMailAddresses(text);
    if (found === null) {
      throw new Unusable(
        `"${key}" must hold addresses such as ada@example.com or Ada <ada@example.com>, separated by commas`,
      );
    }
    return found;
  });
}

/** A text without line breaks, which could begin another header. */
function line(key: string, text: string): string {
  if (/\p{Cc}/u.test(text)) throw new Unusable(`"${key}" has a line break or another control character`);
  return text;
}

function header(key: string, value: string): { key: string; value: string } {
  if (!isToken(key)) throw new Unusable('a name in "headers" has characters that a header name may not have');
  if (OWNED.test(key)) throw new Unusable(`the header ${key} is set by the step itself`);
  return { key, value: line(`headers.${key}`, value) };
}

function attachments(list: readonly Attachment[]) {
  let bytes = 0;
  return list.map(({ filename, content, content_base64, content_type, cid }) => {
    const data = content_base64 === undefined ? Buffer.from(content ?? '') : decodeBase64(content_base64);
    if (data === null) throw new Unusable(`the attachment ${JSON.stringify(filename)} is no valid base64`);
    bytes += data.length;
    if (bytes > MAX_ATTACHED_BYTES) throw new Unusable(`the attachments have more than ${MAX_ATTACHED_BYTES} bytes`);

    return { filename: line('filename', filename), content: data, contentType: content_type, cid };
  });
}
