import type { TestApp } from './app';

/** An answer of the gateway, its JSON parsed; `{}` for none. Redirects are not followed. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  // The expectations of tests determine its type.
  readonly body: Record<string, unknown>;
}

/** A request as a client sends it: `ask(app, 'POST /api/v1/auth/login', { body })`. */
export async function ask(
  app: Pick<TestApp, 'url'>,
  line: `${string} /${string}`,
  {
    token = null,
    body,
    form,
    headers = {},
  }: { token?: string | null; body?: unknown; form?: FormData; headers?: Record<string, string> } = {},
): Promise<HttpAnswer> {
  const [method, path] = line.split(' ') as [string, string];
  const response = await fetch(app.url + path, {
    method,
    redirect: 'manual',
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(form === undefined ? {} : { body: form }),
    headers: {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...headers,
    },
  });
  // Some streams have no end; their status is what is asked for.
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
  if (isStream) await response.body?.cancel();
  const text = isStream ? '' : await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true && text !== '';
  return {
    status: response.status,
    headers: response.headers,
    body: (isJson ? JSON.parse(text) : {}) as Record<string, unknown>,
  };
}
