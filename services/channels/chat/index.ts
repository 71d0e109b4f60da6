import type { ActionDefinition } from '../../../mixins/service';
import type { App } from '../../app';
import type { ActionName } from '../../catalogue';
import type { Starting } from '../starting';
import { Conversations } from './conversations';
import { conversationModel } from './model';
import { talking } from './talking';

/** A part of the service's menu. */
type Menu = { readonly [N in 'chat_door' | 'chat']: ActionDefinition<Extract<ActionName, `channels.${N}`>> };

const text = { type: 'string', min: 1, max: 100 } as const;

/** The part of the service that visitors of chats come to. */
export function chats(app: App, starting: Starting) {
  const model = conversationModel(app.db);
  const conversations = new Conversations(model, app.clock);
  const { door, talk } = talking(app, conversations, starting);

  const menu: Menu = {
    chat_door: {
      access: 'internal',
      summary: 'What a chat is, and whom it lets in',
      params: { slug: text },
      handle: ({ call, params }) => door(call, params.slug),
    },
    chat: {
      access: 'internal',
      summary: 'Answers a message of a visitor',
      params: { slug: text, body: { type: 'object' }, execution_id: { type: 'uuid' } },
      handle: (ctx) => talk(ctx),
    },
  };

  return {
    menu,
    createIndexes: () => model.createIndexes(),
    purge: (tenantId: string, workflowId: string) => conversations.purge(tenantId, workflowId),
  };
}
