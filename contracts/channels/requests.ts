import { channel, given, providerParams, text } from './params';
import { typed } from '../rules';
import { type MessagingDelivery, type MessagingOutcome, VoiceOutcome } from './views';
import { actions } from '../contract';
import { START_ERRORS } from '../shared';
import * as s from '../../lib/schema';

export const requestsActions = actions({
  voice_event: {
    access: 'gateway',
    repeatable: true,
    summary: 'Starts the workflow that a voice room was made for',
    description: 'An event of a voice room; on record when it answers.',
    params: providerParams,
    result: VoiceOutcome,
    errors: ['unauthenticated', 'invalid_json', 'provider_not_configured'],
  },
  test_bot: {
    rest: 'POST /api/v1/test/bot-messenger',
    access: 'member',
    integrators: true,
    summary: 'Sends a message by a bot, to see whether its token and the chat are right',
    description:
      'Sends a message by a bot, to see whether its token and the chat are right. Both may be `{{ secret.NAME }}`.',
    params: {
      bot_token: text,
      chat_id: [text, { type: 'number', integer: true }],
      message: { type: 'string', min: 1, max: 4_096, optional: true },
    },
    result: s.object({
      ok: s.constant(true),
      message_id: s.number.nullable(),
    }),
    errors: ['forbidden', 'unknown_secret', 'provider_failed', 'provider_not_configured'],
  },
  /** A messaging provider asks whose address this is. */
  verify_messaging: {
    access: 'internal',
    repeatable: true,
    summary: 'Answers a messaging provider that asks whose address this is',
    params: { channel, workflow_id: text, mode: given, token: given, challenge: given },
    result: s.typed<{ challenge: string }>(),
    errors: ['not_found', 'forbidden', 'provider_not_configured'],
  },
  /** Messages of people; their runs are durable when it answers. */
  message: {
    access: 'internal',
    repeatable: true,
    summary: 'Starts the workflow that listens to messages of people',
    params: typed<MessagingDelivery>()({
      channel,
      workflow_id: text,
      headers: { type: 'object' },
      raw: 'string',
      url: 'string',
    }),
    result: s.typed<MessagingOutcome>(),
    errors: [
      'not_found',
      'invalid_json',
      'unauthenticated',
      'unsupported_media_type',
      'payload_too_large',
      'provider_not_configured',
      ...START_ERRORS,
      'forbidden',
    ],
  },
});
