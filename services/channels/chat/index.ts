import type { Handlers } from '../../../mixins/service';
import type { StartRun } from '../../../mixins/start-run';
import type { App } from '../../app';
import { Conversations } from './conversations';
import { conversationModel } from './model';
import { chatHandler } from './handle-message';
import { createIndexes } from '../../../lib/indexes';

/** The actions of the service that are implemented here. */
type Actions = Pick<Handlers<'channels'>, 'chat_door' | 'chat'>;

/** The actions that serve visitors of chats. */
export function chats(app: App, starts: StartRun) {
  const model = conversationModel(app.db);
  const conversations = new Conversations(model, app.clock);
  const { publicConfig, handleMessage } = chatHandler(app, conversations, starts);

  const actions: Actions = {
    chat_door: ({ call, params }) => publicConfig(call, params.slug),
    chat: (ctx) => handleMessage(ctx),
  };

  return {
    actions,
    createIndexes: () => createIndexes(model),
    purge: (tenantId: string, workflowId: string) => conversations.purge(tenantId, workflowId),
  };
}
