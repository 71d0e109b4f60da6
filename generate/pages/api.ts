import { ROUTES } from '../../services/api-gateway/routes';
import type { Route } from '../../services/api-gateway/routes/route';
import { code, table } from './markdown';

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Shape }>> };
  readonly parameters?: readonly { readonly name?: string; readonly in?: string; readonly required?: boolean }[];
  readonly responses: Readonly<Record<string, unknown>>;
}
interface Shape {
  readonly properties?: object;
  readonly required?: readonly string[];
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const PLACE = /(<!-- routes -->\n)[\s\S]*?(<!-- end of routes -->)/;

/** Replaces the table of routes in the page. @throws Error if its markers are missing */
export function withTables(page: string, openapi: object): string {
  if (!PLACE.test(page)) throw new Error('docs/api.md has lost the marks around its table of routes');
  const { paths } = openapi as Document;
  const byShape = new Map(Object.entries(paths).map(([path, methods]) => [shapeOf(path), methods]));
  const rows = ROUTES.map((route) => {
    const operation = byShape.get(shapeOf(route.path))?.[route.method.toLowerCase()];
    if (operation === undefined) throw new Error(`The document lacks ${route.method} ${route.path}`);
    return [code(`${route.method} ${route.path}`), roleOf(route), answerOf(route, operation)];
  });
  return page.replace(
    PLACE,
    (_all, begin: string, end: string) => `${begin}\n${table(['route', 'role', 'answer'], rows)}\n\n${end}`,
  );
}

const shapeOf = (path: string): string => path.replace(/\{\w+\}|:\w+\*?/g, '*');

const roleOf = (route: Route): string =>
  route.kind === 'webhook' && route.mode === 'run' ? 'workflow key' : route.access;

/** Success statuses, summary, and the fields of body and query. */
function answerOf(route: Route, { responses, requestBody, parameters = [] }: Operation): string {
  const statuses = Object.keys(responses).filter((status) => Number(status) < 400);
  const query = parameters.flatMap((each) =>
    each.in === 'query' ? [`${each.name}${each.required === true ? '' : '?'}`] : [],
  );
  const taken = [fieldsOf(requestBody), query.length === 0 ? '' : code(`?${query.join('&')}`)].filter(
    (each) => each !== '',
  );
  return [`${statuses.join(', ')} ${route.summary}`, ...taken].join('. ');
}

function fieldsOf(body: Operation['requestBody']): string {
  const [content] = Object.values(body?.content ?? {});
  const names = Object.keys(content?.schema?.properties ?? {});
  const required = new Set(content?.schema?.required ?? []);
  return names.length === 0
    ? ''
    : code(`{${names.map((name) => `${name}${required.has(name) ? '' : '?'}`).join(', ')}}`);
}
