import type { JsonObject } from '../../../lib/json';
import type { ChatPace } from '../../workflows/contract';

/** What visitors are shown of a chat. */
export interface ChatConfig {
  title: string;
  greeting: string;
  input_field: string;
  output_field: string;
}

/** What is to be known of a chat before a visitor is let in. */
export interface ChatDoor {
  id: string;
  config: ChatConfig;
  /** Empty: all. */
  allowed_origins: string[];
  rate_limit: ChatPace;
}

export interface ChatActions {
  /** Public by the slug. @throws not_found */
  'channels.chat_door': (p: { slug: string }) => ChatDoor;
  /**
   * Public by the slug, and an id of a conversation in the body: the answer to a message, at the end of its run.
   * `execution_id` is the run's, chosen by the caller: a second call with it finds the first.
   */
  'channels.chat': (p: { slug: string; body: JsonObject; execution_id: string }) => {
    /** `reply`, `conversation_id`, `execution_id`, and the reply once more under the chat's `output_field`. */
    answer: JsonObject;
    replayed: boolean;
  };
}
