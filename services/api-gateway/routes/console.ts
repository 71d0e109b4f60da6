import type { ConsoleRoute } from './route';

const route = (path: string): ConsoleRoute => ({
  kind: 'console',
  method: 'GET',
  path,
  access: 'public',
  summary: 'The web console',
});

/** The web console: its files, and its document at every other path below. */
export const consoleRoutes: readonly ConsoleRoute[] = [route('/console'), route('/console/:path*')];
