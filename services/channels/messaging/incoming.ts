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

/** The provider's own limit. */
const MAX_MESSAGES_PER_REQUEST = 1_000;

/** The format of a request. @throws AppError unsupported_media_type */
export function formatOf(channel: MessagingChannel, contentType: string | undefined): MessagingFormat {
  const type = contentTypeOf(contentType)?.type ?? '';
  if (isJsonType(type)) return 'json';
  if (channel === 'messaging-a' && type === FORM) return 'form';
  throw new AppError('unsupported_media_type', `The body of a ${channel} webhook must be ${ACCEPTED[channel]}`);
}

const ACCEPTED: Readonly<Record<MessagingChannel, string>> = {
  'messaging-a': `JSON or ${FORM}`,
  'messaging-b': 'JSON',
};

/**
 * Parses a request with a valid signature. Pure.
 * @throws AppError invalid_json, invalid_request, payload_too_large
 */
export async function incomingOf(
  channel: MessagingChannel,
  format: MessagingFormat,
  raw: Buffer,
  now: number,
): Promise<Incoming[]> {
  const found = await (format === 'form' ? formOf(raw, now) : jsonOf(channel, raw, now));
  if (found.length <= MAX_MESSAGES_PER_REQUEST) return found;
  throw new AppError(
    'payload_too_large',
    `A request may have at most ${MAX_MESSAGES_PER_REQUEST} messages; this one has ${found.length}`,
  );
}

/** The trigger of a message's run. */
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
  const repeated = Object.keys(fields).find((name) => Array.isArray(fields[name]));
  // The signature does not cover the order of repeated fields.
  if (repeated !== undefined)
    throw new AppError('invalid_request', `The field ${repeated.slice(0, 100)} must not be repeated`);
  return readForm(fields, now);
}
