import MailComposer from 'nodemailer/lib/mail-composer';
import { decodeBase64 } from '../../../lib/base64';
import { isToken } from '../../../lib/egress';
import { type MailAddress, parseMailAddresses } from '../../../lib/mail-address';

/** The content and recipients of a mail. */
export interface MessageContent {
  to: string | string[];
  cc?: string | string[];
  bcc?: string | string[];
  reply_to?: string | string[];
  subject: string;
  text?: string;
  html?: string;
  headers?: Record<string, string>;
  attachments?: Attachment[];
}

interface Attachment {
  filename: string;
  content?: string;
  content_base64?: string;
  content_type?: string;
  cid?: string;
}

/** Headers that the step adds. */
interface Frame {
  /** Null where the provider sets the sender. */
  readonly from: MailAddress | null;
  readonly messageId: string;
  /** Epoch milliseconds. */
  readonly now: number;
  /** True where the Bcc header carries blind copies; else they are in the envelope, and the header must not show them. */
  readonly keepBcc: boolean;
}

/** An invalid configuration. The message is shown to the author of the workflow. */
export class InvalidInputError extends Error {}

const MAX_RECIPIENTS = 100;
const MAX_ATTACHED_BYTES = 10 * 1024 * 1024;

/** Headers that the step makes itself; a second one would be read by some and not by others. */
const OWNED =
  /^(?:from|to|cc|bcc|sender|reply-to|subject|date|message-id|mime-version|content-.*|received|return-path|dkim-signature|arc-.*)$/i;

/** The message that this one replies to: `Message-ID`s as in headers. */
export interface Answered {
  readonly inReplyTo: string;
  readonly references: readonly string[];
}

/** The message in MIME (RFC 5322, RFC 2045), and everybody's address. @throws InvalidInputError */
export async function mime(
  letter: MessageContent,
  { from, messageId, now, keepBcc }: Frame,
  answered?: Answered,
): Promise<{ bytes: Buffer; recipients: string[] }> {
  const to = mailboxes('to', letter.to);
  const cc = mailboxes('cc', letter.cc);
  const bcc = mailboxes('bcc', letter.bcc);
  const recipients = [...new Set([...to, ...cc, ...bcc].map(({ address }) => address))];
  if (to.length === 0) throw new InvalidInputError('"to" has no recipient');
  if (recipients.length > MAX_RECIPIENTS) {
    throw new InvalidInputError(
      `${recipients.length} addresses are more than ${MAX_RECIPIENTS}; send to them in a loop`,
    );
  }
  const node = new MailComposer({
    // The library modifies its arguments.
    from: from === null ? undefined : { ...from },
    to,
    cc,
    bcc,
    replyTo: mailboxes('reply_to', letter.reply_to),
    subject: line('subject', letter.subject),
    messageId,
    date: new Date(now),
    text: letter.text,
    html: letter.html,
    inReplyTo: answered?.inReplyTo,
    references: answered === undefined ? undefined : [...answered.references],
    headers: Object.entries(letter.headers ?? {}).map(([key, value]) => header(key, value)),
    attachments: attachments(letter.attachments ?? []),
    disableFileAccess: true,
    disableUrlAccess: true,
  }).compile();
  node.keepBcc = keepBcc;
  return { bytes: await node.build(), recipients };
}

function mailboxes(key: string, value: string | string[] = []): MailAddress[] {
  return [value].flat().flatMap((text) => {
    const found = parseMailAddresses(text);
    if (found === null) {
      throw new InvalidInputError(
        `"${key}" must hold addresses such as ada@example.com or Ada <ada@example.com>, separated by commas`,
      );
    }
    return found;
  });
}

/** A text without line breaks, which could begin another header. */
function line(key: string, text: string): string {
  if (/\p{Cc}/u.test(text)) throw new InvalidInputError(`"${key}" has a line break or another control character`);
  return text;
}

function header(key: string, value: string): { key: string; value: string } {
  if (!isToken(key)) throw new InvalidInputError('a name in "headers" has characters that a header name may not have');
  if (OWNED.test(key)) throw new InvalidInputError(`the header ${key} is set by the step itself`);
  return { key, value: line(`headers.${key}`, value) };
}

function attachments(list: readonly Attachment[]) {
  let bytes = 0;
  return list.map(({ filename, content, content_base64, content_type, cid }) => {
    const data = content_base64 === undefined ? Buffer.from(content ?? '') : decodeBase64(content_base64);
    if (data === null) throw new InvalidInputError(`the attachment ${JSON.stringify(filename)} is not valid base64`);
    bytes += data.length;
    if (bytes > MAX_ATTACHED_BYTES)
      throw new InvalidInputError(`the attachments have more than ${MAX_ATTACHED_BYTES} bytes`);

    return { filename: line('filename', filename), content: data, contentType: content_type, cid };
  });
}
