import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../app/lazy-page';
import { shellRoute } from '../../app/root-routes';
import { textParams } from '../../model/search-params';

export const chatsRoute = createRoute({
  getParentRoute: () => shellRoute,
  path: '/chats',
  // `open`: the slug of the chat in the panel; `new`: the form of a new one. `show`: a tab of the panel. `workflow`: chats of one alone.
  validateSearch: textParams('open', 'show', 'workflow'),
  component: lazyPage(() => import('./chats-page'), 'ChatsPage'),
});
