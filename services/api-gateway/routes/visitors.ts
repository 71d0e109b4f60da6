import type { VisitorRoute } from './route';

const route = (path: string, of: VisitorRoute['of'], summary: string): VisitorRoute => ({
  kind: 'visitor',
  method: 'GET',
  path,
  access: 'public',
  of,
  summary,
});

/** Pages and files for visitors of chats and forms. They are for browsers, and no part of the API. */
export const visitorRoutes: readonly VisitorRoute[] = [
  route('/chat/:slug', 'chat', 'The page of a chat'),
  route('/chat/assets/:name', 'chat file', 'Script and style of that page'),
  route('/widget.js', 'widget', 'The script that shows a chat on other web sites'),
  route('/public/logos/:id', 'logo', 'The logo of a workspace'),
];
