import type { Json, JsonObject } from '../../../lib/json';
import type { Account, ConnectorResponse, ConnectorRequest, HttpAction } from '../contract';
import { flag, outputOf } from '../../schema';
import { InvalidInputError } from '../invalid-input-error';
import { listAt, objectAt, withoutUndefined, textAt, textsAt } from '../values';
import { formatOf } from './account';
import {
  BODY,
  BUTTONS,
  CAPTION,
  COMPONENTS,
  FILENAME,
  LANGUAGE,
  MEDIA,
  MESSAGE_ID,
  PARAMETERS,
  SENDER,
  SENT,
  TEMPLATE,
  TO,
} from './fields';
import { formMessage, jsonMessage } from './requests';
import { pick } from '../input';
import { idempotentWrite, readAction, writeAction } from '../define';

/** The same output for both formats. */
const sent = ({ body }: ConnectorResponse): JsonObject =>
  withoutUndefined({
    id: textAt(body, 'messages', '0', 'id') ?? textAt(body, 'sid') ?? '',
    to: textAt(body, 'contacts', '0', 'wa_id') ?? textAt(body, 'to'),
    status: textAt(body, 'messages', '0', 'message_status') ?? textAt(body, 'status') ?? 'accepted',
    answer: body,
  });

/** A message, of whichever format the account is. */
const message =
  (json: (input: JsonObject) => JsonObject, form: (input: JsonObject) => Readonly<Record<string, Json | undefined>>) =>
  (input: JsonObject, account: Account): ConnectorRequest => {
    const format = formatOf(account);
    return format.kind === 'json'
      ? jsonMessage(format, input, json(input), textAt(input, 'message_id'))
      : formMessage(format, input, form(input));
  };

const textMessage = message(
  (input) => ({ type: 'text', text: { body: textAt(input, 'text') ?? '', preview_url: input.preview_url === true } }),
  (input) => ({ Body: textAt(input, 'text') }),
);

const onlyJson = (what: string): never => {
  throw new InvalidInputError(`${what} only with a connection of the JSON format (access_token and phone_number_id)`);
};

const PREVIEW = flag('Shows a preview of the first link.', { default: false });

export const messages: readonly HttpAction[] = [
  writeAction(
    'send_text',
    "Sends a text; outside the 24 hours after the recipient's last message only templates are allowed.",
    {
      required: { to: TO, text: BODY },
      optional: { preview_url: PREVIEW },
      output: SENT,
      request: textMessage,
      read: sent,
    },
  ),
  writeAction('reply', 'Replies to a message, which is quoted if the format supports it.', {
    required: { to: TO, message_id: MESSAGE_ID, text: BODY },
    optional: { preview_url: PREVIEW },
    output: SENT,
    request: textMessage,
    read: sent,
  }),
  writeAction('send_media', 'Sends an image, video, audio or document from a URL.', {
    required: { to: TO, ...MEDIA },
    optional: { caption: CAPTION, filename: FILENAME },
    output: SENT,
    request: message(
      (input) => {
        const type = textAt(input, 'type') ?? 'document';
        const captioned = type !== 'audio' && type !== 'sticker';
        return {
          type,
          [type]: withoutUndefined({
            link: textAt(input, 'url'),
            caption: captioned ? textAt(input, 'caption') : undefined,
            filename: type === 'document' ? textAt(input, 'filename') : undefined,
          }),
        };
      },
      (input) => ({ Body: textAt(input, 'caption'), MediaUrl: textAt(input, 'url') }),
    ),
    read: sent,
  }),
  writeAction('send_template', 'Sends an approved template message, at any time.', {
    required: { to: TO, template: TEMPLATE },
    optional: { language: LANGUAGE, parameters: PARAMETERS, components: COMPONENTS },
    output: SENT,
    request: message(
      (input) => {
        const components = 'components' in input ? listAt(input, 'components') : bodyOf(textsAt(input, 'parameters'));
        return {
          type: 'template',
          template: withoutUndefined({
            name: textAt(input, 'template'),
            language: { code: textAt(input, 'language') ?? 'en_US' },
            components: components.length === 0 ? undefined : components,
          }),
        };
      },
      (input) => ({ ContentSid: textAt(input, 'template'), ContentVariables: numbered(textsAt(input, 'parameters')) }),
    ),
    read: sent,
  }),
  writeAction('send_buttons', 'Sends a text with one to three reply buttons.', {
    required: { to: TO, text: { ...BODY, maxLength: 1_024 }, buttons: BUTTONS },
    output: SENT,
    request: message(
      (input) => ({
        type: 'interactive',
        interactive: {
          type: 'button',
          body: pick(input, 'text'),
          action: { buttons: listAt(input, 'buttons').map((button) => ({ type: 'reply', reply: objectAt(button) })) },
        },
      }),
      () => onlyJson('buttons are sent'),
    ),
    read: sent,
  }),
  idempotentWrite('mark_read', 'Marks a message and all earlier ones as read.', {
    required: { message_id: MESSAGE_ID },
    output: outputOf({ success: flag('Always true.') }, ['success']),
    request: (input, account) => {
      const format = formatOf(account);
      if (format.kind === 'form') return onlyJson('messages are marked as read');
      return {
        method: 'POST',
        url: format.path,
        body: { messaging_product: 'whatsapp', status: 'read', ...pick(input, 'message_id') },
      };
    },
  }),
  readAction('get_sender', 'Returns the sending number or account.', {
    output: SENDER,
    request: (_input, account) => {
      const format = formatOf(account);
      return format.kind === 'json'
        ? { method: 'GET', url: format.numberPath, query: { fields: 'id,display_phone_number,verified_name' } }
        : { method: 'GET', url: format.accountPath };
    },
    read: ({ body }) =>
      withoutUndefined({
        id: textAt(body, 'id') ?? textAt(body, 'sid') ?? '',
        name: textAt(body, 'verified_name') ?? textAt(body, 'friendly_name'),
        answer: withoutSecrets(objectAt(body)),
      }),
  }),
];

const bodyOf = (parameters: readonly string[]): Json[] =>
  parameters.length === 0 ? [] : [{ type: 'body', parameters: parameters.map((text) => ({ type: 'text', text })) }];

/** Template values by position; undefined if there are none. */
const numbered = (values: readonly string[]): string | undefined =>
  values.length === 0
    ? undefined
    : JSON.stringify(Object.fromEntries(values.map((value, index) => [String(index + 1), value])));

/** An account of the form-encoded format shows its own token. */
const withoutSecrets = ({ auth_token: _token, ...rest }: JsonObject): JsonObject => rest;
