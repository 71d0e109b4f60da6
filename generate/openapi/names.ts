import type { Route } from '../../services/api-gateway/routes/route';

/** What operations are called, and how they are grouped. Both are promises to those who generate clients. */

/** By the first word of an operation's name. One without a line here stands under its own word. */
const TAGS: Readonly<Record<string, string>> = {
  ai: 'Language models, by hand',
  alerts: 'Notices of failures, delays and costs',
  audit: 'Who did what',
  auth: 'Accounts, people, sessions, keys, single sign-on and organizations',
  billing: 'Plans, usage and subscriptions',
  channels: 'What came in for workflows, and events of providers',
  chat: 'Public endpoints of chats, for visitors',
  connections: 'Accounts at other services',
  connectors: 'Services that steps can use',
  docs: 'This description',
  executions: 'Runs of workflows, approvals and signals',
  files: 'What runs have written',
  health: 'Whether the service works',
  knowledge: 'Documents that steps and agents search',
  messaging: 'Messages of people, by their providers',
  secrets: 'Values that cannot be read back',
  skills: 'What agents can be taught',
  webhooks: 'Starts from outside, and their answers',
  workflows: 'What is to run: documents, versions, keys, variables, custom nodes',
};

export const tagOf = (operationId: string): string => operationId.slice(0, operationId.indexOf('.'));

export const tagRow = (name: string): { name: string; description: string } => ({
  name,
  description: TAGS[name] ?? `Actions of the service ${name}`,
});

/** A name for each route. @throws Error when two would have the same */
export function operationIds(routes: readonly Route[]): ReadonlyMap<Route, string> {
  const byName = new Map<string, Route[]>();
  for (const route of routes) {
    const name = nameOf(route);
    byName.set(name, [...(byName.get(name) ?? []), route]);
  }
  const names = new Map<Route, string>();
  for (const [name, same] of byName) {
    for (const route of same) names.set(route, same.length === 1 ? name : `${name}_${distinctSegment(route, same)}`);
  }
  if (new Set(names.values()).size !== routes.length) throw new Error('Two routes have the same operation name');
  return names;
}

function nameOf(route: Route): string {
  switch (route.kind) {
    case 'json':
    case 'browser':
    case 'xml':
    case 'provider webhook':
      return route.action;
    case 'webhook':
      if (route.method === 'GET') return 'webhooks.verify';
      return { webhook: 'webhooks.start', sync: 'webhooks.start_and_wait', run: 'webhooks.run' }[route.mode];
    case 'messaging':
      return `messaging.${route.method === 'GET' ? 'verify' : 'receive'}`;
    case 'stream':
      return route.audience === 'tenant' ? 'executions.stream' : 'executions.stream_public';
    case 'tenant stream':
      return 'events.stream';
    case 'download':
      return route.of === 'run' ? 'files.download' : 'files.download_shared';
    case 'download link':
      return 'files.download_by_link';
    case 'upload':
      return `${route.service}.upload`;
    case 'chat':
      return route.method === 'GET' ? 'chat.config' : 'chat.send';
    case 'approval link':
      return 'executions.decide_by_link';
    case 'health':
      // Names that probes of other systems have: their operations are called as they are.
      return route.path.startsWith('/health/') || route.path === '/health'
        ? 'health.check'
        : `health.${route.path.slice(1)}`;
    case 'asset':
      return `docs.${route.name}`;
  }
}

/** What of its path none of the others has: a fixed segment. */
function distinctSegment(route: Route, same: readonly Route[]): string {
  const fixed = ({ path }: Route): string[] =>
    path
      .slice(1)
      .split('/')
      .filter((part) => !part.startsWith(':'));
  const others = same.filter((each) => each !== route).flatMap(fixed);
  const own = fixed(route).find((part) => !others.includes(part)) ?? fixed(route).at(-1) ?? '';
  return own.replace(/\W/g, '_');
}
