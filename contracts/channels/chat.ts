import { chatText } from './params';
import { actions } from '../contract';
import { START_ERRORS } from '../shared';
import type { ChatPace } from '../workflows/chat';
import type { JsonObject } from '../../lib/json';
import * as s from '../../lib/schema';

/** The access rules that the gateway checks for visitors of a chat. */
export interface ChatEndpoint {
  id: string;
  tenant_id: string;
  config: ChatConfig;
  /** Empty: all. */
  allowed_origins: string[];
  rate_limit: ChatPace;
}

export const ChatConfig = s.named(
  'ChatConfig',
  s.object({
    title: s.text,
    greeting: s.text,
    input_field: s.text,
    output_field: s.text,
  }),
  'What visitors are shown of a chat.',
);
type ChatConfig = s.Infer<typeof ChatConfig>;

export const chatActions = actions({
  chat_door: {
    access: 'internal',
    repeatable: true,
    summary: 'The public configuration and the access rules of a chat',
    params: { slug: chatText },
    result: s.typed<ChatEndpoint>(),
    errors: ['not_found'],
  },
  /** Runs a message and returns the reply. The caller chooses `execution_id`: a repeated call finds the same run. */
  chat: {
    access: 'internal',
    repeatable: true,
    summary: 'Answers a message of a visitor',
    params: { slug: chatText, body: { type: 'object' }, execution_id: { type: 'uuid' } },
    result: s.typed<{
      /** `reply`, `conversation_id`, `execution_id`, and the reply once more under the chat's `output_field`. */
      answer: JsonObject;
      replayed: boolean;
    }>(),
    errors: ['not_found', 'conflict', 'payload_too_large', ...START_ERRORS, 'execution_failed', 'idempotency_mismatch'],
  },
});
