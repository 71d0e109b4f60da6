import { isObject, type Json, type JsonObject } from '../../../lib/json';
import { microsoft } from '../../connectors/microsoft';
import { urlPath } from '../../connectors/http/path';
import { listAt, objectAt } from '../../connectors/values';
import type { Poller } from '../contract';
import { readDelta } from '../delta';
import { member, textIn } from '../json';
import { providerClient } from '../provider-client';

const FIELDS =
  'id,conversationId,internetMessageId,subject,from,toRecipients,ccRecipients,receivedDateTime,bodyPreview,body,hasAttachments,webLink,categories';

const addressOf = (recipient: Json | undefined): Json => {
  const found = member(recipient, 'emailAddress');
  return isObject(found) ? { name: textIn(found, 'name'), address: textIn(found, 'address') } : null;
};

const addressesAt = (mail: JsonObject, name: string): Json[] => listAt(mail, name).map(addressOf);

/** A mail as trigger data. */
function mailOf(mail: JsonObject): JsonObject {
  const body = objectAt(mail, 'body');
  const content = textIn(body, 'content');
  const isHtml = textIn(body, 'contentType')?.toLowerCase() === 'html';
  return {
    id: textIn(mail, 'id'),
    conversation_id: textIn(mail, 'conversationId'),
    message_id: textIn(mail, 'internetMessageId'),
    from: addressOf(member(mail, 'from')),
    to: addressesAt(mail, 'toRecipients'),
    cc: addressesAt(mail, 'ccRecipients'),
    subject: textIn(mail, 'subject'),
    date: textIn(mail, 'receivedDateTime'),
    preview: textIn(mail, 'bodyPreview'),
    text: isHtml ? null : content,
    html: isHtml ? content : null,
    has_attachments: mail.hasAttachments === true,
    categories: listAt(mail, 'categories'),
    link: textIn(mail, 'webLink'),
  };
}

const since = (time: string) => ({
  $select: FIELDS,
  changeType: 'created',
  $filter: `receivedDateTime ge ${time}`,
});

/** Mails that come into a folder of Outlook, or are moved into it. */
export const microsoftMail: Poller = {
  type: 'microsoft_mail',
  async poll(context) {
    const { config, now } = context;
    const request = await providerClient(context, microsoft);
    const source = {
      path: urlPath`/me/mailFolders/${config.folder ?? 'inbox'}/messages/delta`,
      first: since(new Date(now).toISOString()),
      again: since,
      timeOf: (mail: JsonObject) => textIn(mail, 'receivedDateTime'),
    };
    const { items, ...rest } = await readDelta(request, source, context);
    const mails = items.filter((mail) => mail['@removed'] === undefined && textIn(mail, 'id') !== null);
    mails.sort((one, other) => (String(one.receivedDateTime) < String(other.receivedDateTime) ? -1 : 1));
    return {
      kind: 'items',
      items: mails.map((mail) => ({ id: String(mail.id), trigger: mailOf(mail) })),
      ...rest,
    };
  },
};
