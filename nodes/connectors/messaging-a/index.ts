import type { ConnectorResponse, ConnectorFault } from '../contract';
import { isRetryableStatus } from '../http/fault';
import { graphFault } from '../meta/fault';
import { numberAt, textAt } from '../values';
import { baseOf, sign } from './account';
import { ACCOUNT_FIELDS } from './fields';
import { messages } from './messages';
import { defineConnector } from '../define';

/** Faults of the form-encoded format: a number and a sentence at the top. */
function formFault({ status, body }: ConnectorResponse): ConnectorFault | null {
  const code = numberAt(body, 'code');
  const message = textAt(body, 'message');
  if (status < 400 || code === undefined || message === undefined) return null;
  return { code: `error_${code}`, message, retryable: isRetryableStatus(status) };
}

/** WhatsApp: the Cloud API of Meta, or the Messages API of Twilio, by the fields of the connection. */
export const messagingA = defineConnector({
  name: 'messaging-a',
  aliases: ['whatsapp'],
  title: 'WhatsApp',
  description: 'Send WhatsApp messages through the Cloud API or Twilio, which also sends SMS.',
  category: 'Communication',
  docs: 'https://developers.facebook.com/docs/whatsapp/cloud-api',
  fields: ACCOUNT_FIELDS,
  base: baseOf,
  sign,
  fault: (response) => graphFault(response) ?? formFault(response),
  connectionTest: 'get_sender',
  actions: messages,
});
