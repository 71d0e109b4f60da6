import type { Estate } from '../integration/security/support/estate';
import { bodyOf, type Idea } from './ideas';

/** A request as it is sent, so that it can be sent once more. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | FormData | undefined;
}

/** Things that exist, by the path up to the variable; those that requests have made come first. */
export class Things {
  readonly #made = new Map<string, string[]>();

  constructor(private readonly estate: Estate) {}

  /** What an operation has made can be asked for by the next ones. */
  learn(path: string, body: unknown): void {
    const id = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
    const name = [id.id, id.slug, id.type, id.name].find((each) => typeof each === 'string');
    if (typeof name !== 'string') return;
    const prefix = `${path.replace(/\{\w+\}/g, ':')}/:`;
    this.#made.set(prefix, [name, ...(this.#made.get(prefix) ?? [])].slice(0, 20));
  }

  /** What the estate itself has is not to be removed: the requests after that need it. */
  find(prefix: string, age: number, removes: boolean): string {
    const made = this.#made.get(prefix) ?? [];
    const own = this.estate.ids[prefix];
    const all = removes || own === undefined ? made : [own, ...made];
    return all[age % Math.max(1, all.length)] ?? 'missing';
  }

  body(method: string, path: string): unknown {
    return this.estate.bodies.get(`${method} ${path.replace(/\{\w+\}/g, ':')}`);
  }
}

export function requestOf(idea: Idea, things: Things, credential: string | null): Sent {
  const { operation, query, headers, contentType, age } = idea;
  let prefix = '';
  let n = 0;
  const parts = operation.path
    .slice(1)
    .split('/')
    .map((part) => {
      const isVariable = part.startsWith('{');
      prefix += isVariable ? '/:' : `/${part}`;
      if (!isVariable) return part;
      const text = idea.path[n++] ?? things.find(prefix, age, operation.method === 'DELETE');
      // Clients remove dot segments, which would change the path instead of the id.
      return encodeURIComponent(Buffer.from(text.slice(0, 500)).toString()).replace(/^\.{1,2}$/, 'dots') || '%20';
    });
  const search = Object.entries(query).map(
    ([name, value]) => `${encoded(name)}=${encoded(textOf(value)).slice(0, 2_000)}`,
  );
  const writes = operation.method === 'POST' || operation.method === 'PUT';
  const body = writes ? payload(idea, bodyOf(idea, things.body(operation.method, operation.path))) : undefined;
  return {
    method: operation.method,
    path: `/${parts.join('/')}${search.length === 0 ? '' : `?${search.join('&')}`}`,
    headers: {
      ...headers,
      ...(credential === null ? {} : { Authorization: `Bearer ${credential}` }),
      ...(typeof body === 'string' && contentType !== null
        ? { 'Content-Type': contentType.replace('*/*', 'text/plain') }
        : {}),
    },
    body,
  };
}

function payload({ contentType, operation }: Idea, value: unknown): string | FormData | undefined {
  if (contentType === 'multipart/form-data' && operation.bodies?.['multipart/form-data'] !== undefined) {
    const form = new FormData();
    form.set('file', new Blob([JSON.stringify(value)]), 'file.txt');
    return form;
  }
  if (contentType === 'application/x-www-form-urlencoded') {
    const fields = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    return fields.map(([name, member]) => `${encoded(name)}=${encoded(textOf(member))}`).join('&');
  }
  return JSON.stringify(value);
}

const encoded = (text: string): string => encodeURIComponent(Buffer.from(text).toString());
const textOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/** The request as a curl command, to send it once more. */
export function curlOf(url: string, { method, path, headers, body }: Sent): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
  const parts = [`curl -sS -i -X ${method} ${quoted(`${url}${path}`)}`];
  for (const [name, value] of Object.entries(headers)) parts.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (typeof body === 'string') parts.push(`--data-binary ${quoted(body.slice(0, 4_000))}`);
  else if (body !== undefined) parts.push("-F 'file=@file.txt'");
  return parts.join(' ');
}
