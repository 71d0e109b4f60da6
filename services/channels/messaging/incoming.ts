import { AppError } from '../../../lib/errors';
import { contentTypeOf, FORM, isJsonType } from '../../../lib/http-body/content-type';
import { parseForm } from '../../../lib/http-body/form';
import { parseJson } from '../../../lib/http-body/json-body';
import type { MessagingChannel } from '../../../lib/messaging-config';
import type { StartCause } from '../../../mixins/start-run';
import type { MessagingFormat } from '../../../contracts/channels/views';
import { readCloudApi } from './cloud-api';
import { readForm } from './form';
import type { Incoming } from './message';
import { readPage } from './page';

/** As many as the provider puts into one request at the most. */
const MAX_MESSAGES = 1_000;

/** Which of its formats the provider uses. @throws AppError unsupported_media_type */
export function formatOf(channel: MessagingChannel, contentType: string | undefined): MessagingFormat {
  const type = contentTypeOf(contentType)?.type ?? '';
  if (isJsonType(type)) return 'json';
  if (channel === 'messaging-a' && type === FORM) return 'form';
  throw new AppError('unsupported_media_type', `The body of a ${channel} webhook must be ${WANTED[channel]}`);
}

const WANTED: Readonly<Record<MessagingChannel, string>> = {
  'messaging-a': `JSON or ${FORM}`,
  'messaging-b': 'JSON',
};

/**
 * What is in a request whose signature is right. Pure.
 * @throws AppError invalid_json, invalid_request, payload_too_large
 */
export async function incomingOf(
  channel: MessagingChannel,
  format: MessagingFormat,
  raw: Buffer,
  now: number,
): Promise<Incoming[]> {
  const found = await (format === 'form' ? formOf(raw, now) : jsonOf(channel, raw, now));
  if (found.length <= MAX_MESSAGES) return found;
  throw new AppError(
    'payload_too_large',
    `A request holds at most ${MAX_MESSAGES} messages; this one has ${found.length}`,
  );
}

/** What a message starts a run with. */
export const causeOfMessage = (
  channel: MessagingChannel,
  { message, contact, body }: Extract<Incoming, { kind: 'message' }>,
): Pick<StartCause, 'type' | 'trigger'> => ({
  type: channel,
  trigger: {
    message: { ...message, media: message.media.map((each) => ({ ...each })) },
    contact: { ...contact },
    body,
  },
});

async function jsonOf(channel: MessagingChannel, raw: Buffer, now: number): Promise<Incoming[]> {
  const body = await parseJson(raw);
  return channel === 'messaging-a' ? readCloudApi(body, now) : readPage(body, now);
}

async function formOf(raw: Buffer, now: number): Promise<Incoming[]> {
  const fields = await parseForm(raw, null);
  const twice = Object.keys(fields).find((name) => Array.isArray(fields[name]));
  // Its signature does not cover in which order values of one name came, so they could be changed over.
  if (twice !== undefined) throw new AppError('invalid_request', `The field ${twice.slice(0, 100)} is there twice`);
  return readForm(fields, now);
}
