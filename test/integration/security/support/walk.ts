import { ROUTES } from '../../../../services/api-gateway/routes';
import type { Route } from '../../../../services/api-gateway/routes/route';
import type { Estate } from './estate';

/** Paths whose responses change from one request to the next for any caller, or record each request. */
export const RESTLESS: ReadonlySet<string> = new Set([
  '/api/v1/system/workers',
  '/api/v1/llm/models',
  '/api/v1/oauth/connections/:id/token',
]);

/** Times that reading a record changes. */
const VOLATILE: ReadonlySet<string> = new Set(['last_used_at', 'exported_at', 'request_id']);

/** Routes of tenants. Those of operators are not theirs: test/integration/operators walks through them. */
export const guarded: readonly Route[] = ROUTES.filter(({ access }) => access !== 'public' && access !== 'operator');

export const lineOf = ({ method, path }: Route): string => `${method} ${path}`;

export const table = (routes: readonly Route[]) => routes.map((route) => [lineOf(route), route] as const);

/** The path with the estate's ids. @throws Error for a variable that the estate knows no id for */
export function filled(path: string, { ids }: Pick<Estate, 'ids'>): string {
  let prefix = '';
  let full = '';
  for (const part of path.slice(1).split('/')) {
    prefix += part.startsWith(':') ? '/:' : `/${part}`;
    const id = part.startsWith(':') ? ids[prefix] : part;
    if (id === undefined) throw new Error(`makeEstate has nothing for ${prefix} of ${path}`);
    full += `/${encodeURIComponent(id)}`;
  }
  return full;
}

/** A value as text, without times that reading changes. */
export const settled = (value: unknown): string =>
  JSON.stringify(value, (name, each: unknown) => (VOLATILE.has(name) ? null : each), 1);

/** All that the tenant can see of itself. */
export async function picture(estate: Estate): Promise<string> {
  const routes = guarded.filter(({ kind, method, path }) => kind === 'json' && method === 'GET' && !RESTLESS.has(path));
  const seen: unknown[] = [];
  for (const route of routes) {
    const { status, body } = await estate.owner.ask(route.method, filled(route.path, estate));
    seen.push([lineOf(route), status, body]);
  }
  return settled(seen);
}

/** A form with a file, and further fields. */
export function formOf(fields: object): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
  form.append('file', new Blob(['mine']), 'mine.txt');
  return form;
}
