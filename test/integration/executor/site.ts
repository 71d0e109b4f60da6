import { registerTenant } from '../../support/accounts';
import type { ServiceSchema } from 'moleculer';
import type { Json, JsonObject } from '../../../lib/json';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import type { App } from '../../../services/app';
import { authService } from '../../../services/auth/auth.service';
import { channelsService } from '../../../services/channels/channels.service';
import { executorServices } from '../../support/run-services';
import type { ExecutionView, StepView } from '../../../contracts/executions/views';
import { filesService } from '../../../services/files/files.service';
import { secretsService } from '../../../services/secrets/secrets.service';
import { workflowsService } from '../../../services/workflows/workflows.service';
import { type ServiceFactory, startApp, type StartOptions, type TestApp } from '../../support/app';
import { until } from '../../support/until';

/** The response to a request; the body of a page is text. */
export interface Reply {
  readonly status: number;
  readonly body: JsonObject;
  readonly headers: Headers;
}

/** A user with an account, as their client sees the API. */
export interface User {
  readonly token: string;
  request(method: string, path: string, body?: Json, headers?: Record<string, string>): Promise<Reply>;
  /** The id of a workflow with these steps, that is started by hand and by webhooks. */
  workflow(steps: Json[], rest?: JsonObject): Promise<string>;
  /** The id of a run that is started by hand. */
  start(workflowId: string, trigger?: JsonObject): Promise<string>;
  get(id: string): Promise<ExecutionView>;
  steps(id: string, query?: string): Promise<StepView[]>;
  /** The events of an ended run's stream. */
  events(id: string): Promise<{ id: number; event: string; data: JsonObject }[]>;
  ended(id: string): Promise<ExecutionView>;
  waiting(id: string): Promise<ExecutionView>;
  /** Starts a workflow by hand, and waits for its end. */
  run(workflowId: string, trigger?: JsonObject): Promise<ExecutionView>;
}

/** The whole service on a port of this machine. */
export interface Site {
  readonly t: TestApp;
  readonly url: string;
  user(): Promise<User>;
  close(): Promise<void>;
}

/** `more`: services beside those that every site has. */
export async function openSite({
  more = [],
  ...options
}: Omit<StartOptions, 'services'> & { readonly more?: readonly ServiceFactory[] } = {}): Promise<Site> {
  let made: ServiceSchema[] = [];
  const executor = (app: App): ServiceSchema => {
    made = executorServices(app);
    return made[0] as ServiceSchema;
  };
  const services = [authService, secretsService, workflowsService, executor, () => made[1] as ServiceSchema];
  const t = await startApp({
    ...options,
    services: [...services, filesService, channelsService, ...more, apiGatewayService],
  });
  return { t, url: t.url, user: () => newUser(t), close: () => t.close() };
}

let users = 0;

async function newUser(t: TestApp): Promise<User> {
  const slug = `tenant-${++users}`;
  // Registrations over HTTP are bounded by network.
  const { token } = await registerTenant(t, { tenant_slug: slug, tenant_name: slug, email: `${slug}@example.com` });
  const request: User['request'] = (method, path, body, headers = {}) =>
    send(t, method, path, body, { authorization: `Bearer ${token}`, ...headers });
  const get = async (id: string) => (await request('GET', `/api/v1/executions/${id}`)).body as unknown as ExecutionView;
  const become = (id: string, what: string, done: (view: ExecutionView) => boolean) =>
    until(`execution ${id} ${what}`, async () => {
      const view = await get(id);
      return done(view) ? view : null;
    });
  const user: User = {
    token,
    request,
    async workflow(steps, rest = {}) {
      const dsl = { id: 'flow', trigger: { type: 'http' }, steps, ...rest };
      const { status, body } = await request('POST', '/api/v1/workflows', { name: 'Flow', dsl });
      if (status !== 201) throw new Error(`The workflow was refused: ${JSON.stringify(body)}`);
      return String(body.id);
    },
    async start(id, trigger = {}) {
      const { status, body } = await request('POST', `/api/v1/workflows/${id}/trigger`, trigger);
      if (status !== 202) throw new Error(`The start was refused: ${JSON.stringify(body)}`);
      return String(body.id);
    },
    get,
    async steps(id, query = '') {
      const { body } = await request('GET', `/api/v1/executions/${id}/detail${query}`);
      return body.steps as unknown as StepView[];
    },
    async events(id) {
      const { body } = await request('GET', `/api/v1/executions/${id}/stream`);
      return eventsIn(String(body.text));
    },
    ended: (id) => become(id, 'has ended', ({ status }) => status !== 'running'),
    waiting: (id) => become(id, 'waits', ({ waiting }) => waiting.length > 0),
    run: async (id, trigger) => user.ended(await user.start(id, trigger)),
  };
  return user;
}

/** A request without any credential but those in the headers. */
export async function send(
  t: TestApp,
  method: string,
  path: string,
  body?: Json,
  headers: Record<string, string> = {},
): Promise<Reply> {
  const init: RequestInit = { method, headers };
  if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { 'content-type': 'application/json', ...headers };
  }
  const response = await fetch(t.url + path, init);
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return {
    status: response.status,
    body: text === '' ? {} : isJson ? (JSON.parse(text) as JsonObject) : { text },
    headers: response.headers,
  };
}

/** The events of a text of server-sent events. */
export const eventsIn = (text: string): { id: number; event: string; data: JsonObject }[] =>
  [...text.matchAll(/^id: (\d+)\nevent: (\w+)\ndata: (.*)$/gm)].map(([, id, event, data]) => ({
    id: Number(id),
    event: event as string,
    data: JSON.parse(data as string) as JsonObject,
  }));
