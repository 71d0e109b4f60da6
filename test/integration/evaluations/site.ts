import { registerTenant } from '../../support/accounts';
import { startApp, type StartOptions, type TestApp } from '../../support/app';
import { Api } from '../../support/server';
import { allServices } from '../../support/services';
import { join } from '../../support/team';
import { until } from '../../support/until';

export type Row = Record<string, unknown>;

/** All services, with users of one tenant and an owner of another. */
export interface EvaluationSite {
  readonly app: TestApp;
  readonly ann: Api;
  readonly member: Api;
  readonly bob: Api;
  readonly tenants: { readonly ann: string; readonly bob: string };
  close(): Promise<void>;
}

export async function openSite(more: Partial<StartOptions> = {}): Promise<EvaluationSite> {
  const app = await startApp({ ...more, services: [allServices] });
  const signedIn = (token: string): Api => Object.assign(new Api(app.url), { token });
  const ann = await registerTenant(app, { tenant_slug: 'acme' });
  const bob = await registerTenant(app, { tenant_slug: 'bobs', email: 'bob@example.com' });
  const member = await join(app, ann.token, 'member@example.com');
  return {
    app,
    ann: signedIn(ann.token),
    member: signedIn(member.token),
    bob: signedIn(bob.token),
    tenants: { ann: ann.tenant.id, bob: bob.tenant.id },
    close: () => app.close(),
  };
}

let names = 0;

/** A new data set with rows. */
export async function makeDataset(api: Api, rows: readonly object[] = []): Promise<string> {
  const { id } = await api.call<{ id: string }>('POST', '/api/v1/datasets', { name: `data ${(names += 1)}` });
  if (rows.length > 0) await api.call('POST', `/api/v1/datasets/${id}/rows`, { rows });
  return id;
}

/** A workflow whose output is what an expression makes of the body of its trigger. */
export async function makeWorkflow(api: Api, output: unknown, more: object = {}): Promise<string> {
  const dsl = {
    id: 'flow',
    trigger: { type: 'http' },
    steps: [{ id: 'answer', type: 'set', config: { value: output } }],
    output: '{{ steps.answer.value }}',
    ...more,
  };
  return (await api.call<{ id: string }>('POST', '/api/v1/workflows', { name: `flow ${(names += 1)}`, dsl })).id;
}

export interface Evaluation extends Row {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
  readonly passed: boolean | null;
  readonly progress: { readonly total: number; readonly done: number };
  readonly summary: {
    readonly rows: number;
    readonly passed: number;
    readonly score: number | null;
    readonly run_failures: number;
    readonly errors: number;
    readonly tokens: number;
    readonly cost_usd: number;
    readonly metrics: readonly { name: string; mean: number; pass_rate: number; errors: number }[];
  };
  readonly gates: readonly { gate: string; value: number | null; passed: boolean | null }[];
}

export interface Result extends Row {
  readonly row_id: string;
  readonly state: string;
  readonly execution_id: string | null;
  readonly run_status: string | null;
  readonly score: number | null;
  readonly passed: boolean | null;
  readonly output: unknown;
  readonly metrics: readonly {
    name: string;
    score: number;
    passed: boolean;
    error: string | null;
    reason: string | null;
  }[];
}

const ACTIVE = ['queued', 'running'];

export const ended = (api: Api, id: string, withinMs = 30_000): Promise<Evaluation> =>
  until(
    `the evaluation ${id} has ended`,
    async () => {
      const evaluation = await api.call<Evaluation>('GET', `/api/v1/evaluations/${id}`);
      return ACTIVE.includes(evaluation.status) ? null : evaluation;
    },
    withinMs,
  );

/** Runs an evaluation to its end. */
export async function evaluate(api: Api, asked: object): Promise<Evaluation> {
  const { id } = await api.call<Evaluation>('POST', '/api/v1/evaluations', asked);
  return ended(api, id);
}

export async function resultsOf(api: Api, id: string, query = ''): Promise<Result[]> {
  return (await api.call<{ data: Result[] }>('GET', `/api/v1/evaluations/${id}/results?limit=200${query}`)).data;
}
