import type { Json, JsonObject } from '../../../lib/json';
import type { Session } from '../../../contracts/auth/accounts';
import { pageToken } from '../../../services/api-gateway/forms/tokens';
import { allServices } from '../../support/services';
import { registerTenant } from '../../support/accounts';
import { startApp, type TestApp } from '../../support/app';
import { ask, type HttpAnswer } from '../../support/http';

/** A page as a person gets it. Redirects are not followed. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly html: string;
  /** Where it leads to; null for a page. */
  readonly location: string | null;
}

/** Texts and files by the names of fields; several of one name as a list. */
export type Sent = Readonly<Record<string, string | Blob | readonly (string | Blob)[]>>;

export interface FormSite {
  readonly t: TestApp;
  readonly owner: Session;
  api(line: `${string} /${string}`, body?: unknown): Promise<HttpAnswer>;
  /** Creates a workflow with a form; `config`: of the trigger. */
  form(fields: { steps?: Json[]; config?: JsonObject; inputs?: JsonObject; rest?: JsonObject }): Promise<Form>;
  get(url: string, headers?: Record<string, string>): Promise<Answer>;
  run(location: string): Promise<JsonObject>;
  close(): Promise<void>;
}

export interface Form {
  readonly id: string;
  readonly url: string;
  /** Sends a page that was opened some seconds ago. `others`: controls that are no fields. */
  send(fields: Sent, others?: Sent, url?: string): Promise<Answer>;
}

const FILLED_IN_MS = 5_000;
const ECHO = { id: 'echo', type: 'set', config: { given: '{{ trigger.body }}' } };

export async function openFormSite(env: Record<string, string> = {}): Promise<FormSite> {
  const t = await startApp({ services: [allServices], env });
  const owner = await registerTenant(t);
  await t.call('auth.set_plan', { plan: 'enterprise' }, { tenant_id: owner.tenant.id, role: 'service' });
  const api: FormSite['api'] = (line, body) => ask(t, line, { token: owner.token, body });
  const get: FormSite['get'] = async (url, headers = {}) => answerOf(await fetch(url, { redirect: 'manual', headers }));
  return {
    t,
    owner,
    api,
    get,
    async form({ steps = [ECHO], config = {}, inputs, rest = {} }) {
      const dsl = {
        id: 'flow',
        trigger: { type: 'form', config },
        steps,
        ...(inputs === undefined ? {} : { inputs }),
        ...rest,
      };
      const created = await api('POST /api/v1/workflows', { name: 'Flow', dsl });
      if (created.status !== 201) throw new Error(JSON.stringify(created.body));
      const id = String(created.body.id);
      const { url } = (await api(`GET /api/v1/workflows/${id}/form`)).body as { url: string };
      return {
        id,
        url,
        async send(fields, others = {}, to = url) {
          const page = pageToken(t.app.keys.ids, id, t.app.clock.now() - FILLED_IN_MS);
          const named = Object.fromEntries(Object.entries(fields).map(([name, value]) => [`field.${name}`, value]));
          return answerOf(
            await fetch(to, { method: 'POST', redirect: 'manual', body: bodyOf({ page, ...named, ...others }) }),
          );
        },
      };
    },
    async run(location) {
      const id = /\/runs\/([\w-]+)_/.exec(location)?.[1];
      const ended = await t.call(
        'executions.settled',
        { id: String(id), wait_ms: 5_000 },
        { tenant_id: owner.tenant.id, role: 'service' },
      );
      return { ...(ended as unknown as JsonObject) };
    },
    close: () => t.close(),
  };
}

const answerOf = async (response: Response): Promise<Answer> => ({
  status: response.status,
  headers: response.headers,
  html: await response.text(),
  location: response.headers.get('location'),
});

function bodyOf(sent: Sent): URLSearchParams | FormData {
  const pairs = Object.entries(sent).flatMap(([name, value]) =>
    (Array.isArray(value) ? (value as readonly (string | Blob)[]) : [value as string | Blob]).map(
      (each) => [name, each] as const,
    ),
  );
  if (pairs.every(([, value]) => typeof value === 'string')) return new URLSearchParams(pairs as [string, string][]);
  const form = new FormData();
  for (const [name, value] of pairs) form.append(name, value);
  return form;
}
