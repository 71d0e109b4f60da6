import { AppError } from '../../lib/errors';
import type { Method } from '../../contracts/contract';
import type { ServedRoute } from './routes/route';

/** What there is at a path for a method. */
export type Match =
  | { readonly kind: 'found'; readonly route: ServedRoute; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: 'wrong method'; readonly allow: readonly string[] }
  | { readonly kind: 'nothing' };

interface Node {
  readonly fixed: Map<string, Node>;
  variable: Node | null;
  /** Takes all that is left of a path. */
  rest: Node | null;
  readonly routes: Map<Method, { readonly route: ServedRoute; readonly names: readonly string[] }>;
}

const NOTHING: Match = { kind: 'nothing' };

/**
 * Finds routes by walking the path's segments through a tree, whatever their number; a fixed segment goes before a
 * variable one, and that before one that takes the rest of the path (`:path*`). Paths are case-sensitive.
 */
export class Router {
  readonly #root = emptyNode();

  /** @throws Error when two routes share method and path. */
  constructor(routes: readonly ServedRoute[]) {
    for (const route of routes) this.#add(route);
  }

  /** @throws AppError invalid_request when the path cannot be decoded. */
  match(method: string, pathname: string): Match {
    const values: string[] = [];
    const node = find(this.#root, segmentsOf(pathname), 0, values);
    if (node === null) return NOTHING;
    const found = node.routes.get((method === 'HEAD' ? 'GET' : method) as Method);
    if (found === undefined) return isHidden(node) ? NOTHING : { kind: 'wrong method', allow: allowed(node) };
    const params: Record<string, string> = {};
    found.names.forEach((name, index) => {
      const value = values[index] as string;
      if (name.endsWith('*')) params[name.slice(0, -1)] = decodeRest(value);
      else params[name] = decode(value);
    });
    return { kind: 'found', route: found.route, params };
  }

  #add(route: ServedRoute): void {
    let node = this.#root;
    const names: string[] = [];
    for (const segment of segmentsOf(route.path)) {
      if (segment.startsWith(':')) {
        names.push(segment.slice(1));
        node = segment.endsWith('*') ? (node.rest ??= emptyNode()) : (node.variable ??= emptyNode());
      } else {
        const next = node.fixed.get(segment) ?? emptyNode();
        node.fixed.set(segment, next);
        node = next;
      }
    }
    if (node.routes.has(route.method)) throw new Error(`Two routes for ${route.method} ${route.path}`);
    node.routes.set(route.method, { route, names });
  }
}

const emptyNode = (): Node => ({ fixed: new Map(), variable: null, rest: null, routes: new Map() });

const segmentsOf = (path: string): string[] => path.slice(1).split('/');

function find(node: Node, segments: readonly string[], at: number, values: string[]): Node | null {
  const segment = segments[at];
  if (segment === undefined) return node.routes.size > 0 ? node : null;
  const fixed = node.fixed.get(segment);
  const found = fixed === undefined ? null : find(fixed, segments, at + 1, values);
  if (found !== null) return found;
  return variable(node, segments, at, values) ?? rest(node, segments, at, values);
}

function variable(node: Node, segments: readonly string[], at: number, values: string[]): Node | null {
  const segment = segments[at] as string;
  if (node.variable === null || segment === '') return null;
  values.push(segment);
  const further = find(node.variable, segments, at + 1, values);
  if (further === null) values.pop();
  return further;
}

function rest(node: Node, segments: readonly string[], at: number, values: string[]): Node | null {
  if (node.rest !== null) values.push(segments.slice(at).join('/'));
  return node.rest;
}

/** Whether all that is there is for operators: who may not know of it must not learn which methods it takes. */
const isHidden = ({ routes }: Node): boolean => [...routes.values()].every(({ route }) => route.access === 'operator');

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

const allowed = (node: Node): string[] =>
  METHODS.filter((method) => node.routes.has(method)).flatMap((method) =>
    method === 'GET' ? ['GET', 'HEAD'] : [method],
  );

/** An encoded slash would make another path of it. @throws AppError invalid_request */
function decodeRest(segments: string): string {
  const decoded = segmentsOf(`/${segments}`).map(decode);
  if (decoded.some((segment) => segment.includes('/')))
    throw new AppError('invalid_request', 'The path holds an encoded slash');
  return decoded.join('/');
}

function decode(segment: string): string {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw new AppError('invalid_request', 'The path holds a percent sign that encodes nothing', {}, { cause });
  }
}
