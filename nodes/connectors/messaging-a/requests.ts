import type { Json, JsonObject } from '../../../lib/json';
import type { ConnectorRequest } from '../contract';
import { withoutUndefined, textAt } from '../values';
import type { Format } from './account';

type FormatOfKind<K extends Format['kind']> = Extract<Format, { kind: K }>;

/** A message of the JSON format: `content` is its type and the member of that name. */
export const jsonMessage = (
  { path }: FormatOfKind<'json'>,
  input: JsonObject,
  content: JsonObject,
  answered?: string,
): ConnectorRequest => ({
  method: 'POST',
  url: path,
  body: withoutUndefined({
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: digits(textAt(input, 'to') ?? ''),
    context: answered === undefined ? undefined : { message_id: answered },
    ...content,
  }),
});

/** A message of the form-encoded format. */
export const formMessage = (
  { path, from }: FormatOfKind<'form'>,
  input: JsonObject,
  content: Readonly<Record<string, Json | undefined>>,
): ConnectorRequest => ({
  method: 'POST',
  url: path,
  form: true,
  body: withoutUndefined({
    To: address(textAt(input, 'to') ?? '', from),
    ...(from.startsWith('MG') ? { MessagingServiceSid: from } : { From: from }),
    ...content,
  }),
});

/** A number in the digits of E.164, without the plus. */
const digits = (to: string): string => to.replace(/\D/g, '');

/** A number on the channel that the account sends from. */
function address(to: string, from: string): string {
  if (to.startsWith('whatsapp:')) return to;
  return `${from.startsWith('whatsapp:') ? 'whatsapp:' : ''}+${digits(to)}`;
}
