import { randomId } from '../../../lib/ids';
import type { Json, JsonObject } from '../../../lib/json';
import type { Session } from '../../../contracts/auth/accounts';
import { SERVICE_NAMES } from '../../../lib/config';
import { allServices, servicesNamed } from '../../support/services';
import { registerTenant } from '../../support/accounts';
import { openTestDatabase, startApp, type StartOptions, type TestApp } from '../../support/app';
import { ask, type HttpAnswer } from '../../support/http';
import { type LlmScript, type LlmServer, startLlmServer } from '../../support/llm-server';
import { until } from '../../support/until';

/** An installation with a tenant, and a language model that says what the test wants. */
export interface Site {
  /** The app with the chat endpoints. */
  readonly t: TestApp;
  /** The app that executes runs. */
  readonly host: TestApp;
  readonly models: LlmServer;
  readonly owner: Session;
  /** The answers of the model from now on. */
  script: LlmScript;
  /** Sends a request as the owner. */
  api(line: `${string} /${string}`, body?: unknown): Promise<HttpAnswer>;
  workflow(steps: Json[], rest?: JsonObject): Promise<string>;
  /** Opens a chat with a workflow; answers its slug. */
  deploy(workflowId: string, fields?: JsonObject): Promise<string>;
  /** Says something as a visitor. */
  say(slug: string, body: JsonObject, headers?: Record<string, string>): Promise<HttpAnswer>;
  /** The same, for the reply as it is made. */
  stream(slug: string, body: JsonObject, headers?: Record<string, string>): Promise<ReplyStream>;
  close(): Promise<void>;
}

/** A step that asks the model of the site, and streams. */
export const askStep = (config: JsonObject = {}): JsonObject => ({
  id: 'answer',
  type: 'llm',
  config: { provider: 'openai-compatible', prompt: '{{ trigger.message }}', ...config },
});

let slugs = 0;

/** `nodes`: the runs are on a node of their own, and the visitors come to another. */
export async function openSite(env: Record<string, string> = {}, { nodes = false } = {}): Promise<Site> {
  const models = await startLlmServer((seen, n) => site.script(seen, n));
  const common = {
    env: {
      EGRESS_ALLOW: '127.0.0.1',
      LLM_OPENAI_COMPATIBLE_BASE_URL: models.baseUrl.openai,
      LLM_OPENAI_COMPATIBLE_MODEL: 'any',
      ...env,
    },
  };
  const { t, host, close } = await (nodes ? startNodes(common) : startAlone(common));
  const owner = await registerTenant(t);
  // A workflow a test: more than the smallest plan allows.
  await t.call('auth.set_plan', { plan: 'enterprise' }, { tenant_id: owner.tenant.id, role: 'service' });
  const api: Site['api'] = (line, body) => ask(t, line, { token: owner.token, body });
  const site: Site = {
    t,
    host,
    models,
    owner,
    script: () => ({ kind: 'text', text: 'Hello there.' }),
    api,
    async workflow(steps, rest = {}) {
      const dsl = { id: 'flow', trigger: { type: 'chat' }, steps, ...rest };
      const { status, body } = await api('POST /api/v1/workflows', { name: 'Flow', dsl });
      if (status !== 201) throw new Error(JSON.stringify(body));
      return String(body.id);
    },
    async deploy(workflowId, fields = {}) {
      const slug = `chat-${++slugs}`;
      // Tests send much from one address.
      const rate_limit = { per_minute: 6_000, burst: 1_000 };
      const { status, body } = await api(`POST /api/v1/workflows/${workflowId}/chat-deployments`, {
        slug,
        title: 'Help',
        rate_limit,
        ...fields,
      });
      if (status !== 201) throw new Error(JSON.stringify(body));
      return slug;
    },
    say: (slug, body, headers = {}) => ask(t, `POST /public/chat/${slug}`, { body, headers }),
    stream: (slug, body, headers = {}) => openReply(t.url, slug, body, headers),
    close: async () => {
      await close();
      await models.close();
    },
  };
  return site;
}

type Common = Pick<StartOptions, 'env'>;
type Started = Pick<Site, 't' | 'host' | 'close'>;

async function startAlone(common: Common): Promise<Started> {
  const t = await startApp({
    ...common,
    services: [allServices],
  });
  return { t, host: t, close: () => t.close() };
}

async function startNodes(common: Common): Promise<Started> {
  const database = await openTestDatabase();
  const joined = { ...common, database, namespace: randomId(), transporter: 'Fake' };
  const host = await startApp({ ...joined, nodeId: 'host', services: [servicesNamed('executor')] });
  const t = await startApp({
    ...joined,
    nodeId: 'front',
    services: [servicesNamed(...SERVICE_NAMES.filter((name) => name !== 'executor'))],
  });
  await until('the nodes know each other', () => {
    const knows = (app: TestApp, action: string) =>
      (app.broker.registry.getActionEndpoints(action)?.endpoints.length ?? 0) > 0;
    return knows(t, 'executor.start') && knows(host, 'workflows.plan');
  });
  const close = async (): Promise<void> => {
    await t.close();
    await host.close();
    await database.close();
  };
  return { t, host, close };
}

/** An event of a reply that is streamed. */
export interface ReplyEvent {
  readonly event: string;
  readonly data: JsonObject;
}

/** A reply on its way. */
export interface ReplyStream {
  readonly status: number;
  readonly headers: Headers;
  readonly events: readonly ReplyEvent[];
  /** Resolves when the server has ended it; the body as text where it is no stream. */
  readonly ended: Promise<string>;
  leave(): void;
}

/** The text that a visitor sees in the end, as far as pieces made it. */
export const shownBy = (events: readonly ReplyEvent[]): string =>
  events.reduce((text, { event, data }) => {
    if (event === 'reset') return '';
    return event === 'message' ? text + String(data.text) : text;
  }, '');

export async function openReply(
  url: string,
  slug: string,
  body: JsonObject,
  headers: Record<string, string> = {},
): Promise<ReplyStream> {
  const stop = new AbortController();
  const response = await fetch(`${url}/public/chat/${slug}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
    signal: stop.signal,
  });
  const events: ReplyEvent[] = [];
  const read = async (): Promise<string> => {
    let all = '';
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      const text = decoder.decode(chunk, { stream: true });
      all += text;
      const blocks = (rest + text).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = /^event: (.*)$/m.exec(block)?.[1];
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (event !== undefined && data !== undefined) events.push({ event, data: JSON.parse(data) as JsonObject });
      }
    }
    return all;
  };
  const ended = read();
  ended.catch(() => undefined);
  return { status: response.status, headers: response.headers, events, ended, leave: () => stop.abort() };
}

/** Pieces that come when the test says so. */
export function pen() {
  const written: string[] = [];
  let wake = (): void => {};
  let closed = false;
  const pieces = (async function* () {
    for (;;) {
      const next = written.shift();
      if (next !== undefined) yield next;
      else if (closed) return;
      else await new Promise<void>((resolve) => (wake = resolve));
    }
  })();
  return {
    pieces,
    write(text: string): void {
      written.push(text);
      wake();
    },
    close(): void {
      closed = true;
      wake();
    },
  };
}
