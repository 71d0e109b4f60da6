import { METRICS } from '../../../lib/metrics';
import { nodes } from '../../../nodes';
import { ROUTES } from '../../../services/api-gateway/routes';
import { type MetricsServer, openMetrics } from '../../../start/metrics';
import { startApp, type TestApp } from '../../support/app';
import { byTurn, type LlmServer, startLlmServer } from '../../support/llm-server';
import { asking, type Ask, executor, frontServices, newTenant, run, workflowOf } from '../custom-nodes/house';
import { until } from '../../support/until';

/** Part of every name that an outside caller can choose; made of characters that all of them accept. */
const MARK = 'x7hostile7x';

let metering: MetricsServer;
let models: LlmServer;
let app: TestApp;
let ann: Ask;

beforeAll(async () => {
  metering = await openMetrics({ host: '127.0.0.1', metricsPort: 0 });
  models = await startLlmServer(byTurn({ kind: 'text', text: 'Yes.' }));
  app = await startApp({
    services: [...frontServices, executor],
    env: { EGRESS_ALLOW: '127.0.0.1' },
    metrics: metering.metrics,
  });
  ({ owner: ann } = await newTenant(app));
});
afterAll(async () => {
  await app?.close();
  await models?.close();
  await metering?.close();
});

const scrape = async (): Promise<string[]> => {
  const response = await fetch(`http://127.0.0.1:${metering.port}/metrics`);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return (await response.text()).trimEnd().split('\n');
};

/** The value of a series, by its name and labels as they are written; 0 where there is none. */
const valueOf = (lines: readonly string[], series: string): number =>
  Number(lines.find((line) => line.startsWith(`${series} `))?.slice(series.length + 1) ?? 0);

test('what was done is counted, and no name that an unauthenticated caller or a tenant has chosen becomes a label', async () => {
  await ann('POST', '/api/v1/custom-nodes', {
    name: MARK,
    description: MARK,
    request: { url: `${app.url}/health` },
    outputs: [{ name: 'status' }],
  });
  const ask = { provider: 'openai-compatible', model: MARK, base_url: models.baseUrl.openai, prompt: 'Well?' };
  const flow = await workflowOf(
    ann,
    [
      { id: MARK, type: `custom-${MARK}`, config: {} },
      { id: 'ask', type: 'llm', config: ask },
      { id: 'fails', type: 'fail', config: { message: MARK } },
    ],
    MARK,
  );
  const asks = await workflowOf(ann, [{ id: 'sure', type: 'approval', config: { message: MARK } }], 'Asks');
  const { body: asked } = await ann('POST', `/api/v1/workflows/${asks}/trigger`, {});
  await until('the question is there', async () => {
    const found = await app.app.db.collection('executions').findOne({ _id: asked.id as never });
    return found?.owner === null && found.waiting.length === 1;
  });
  expect(await run(ann, flow, { [MARK]: MARK })).toMatchObject({ status: 'failed', error: { message: MARK } });
  const outsider = asking(app.url, null);
  await outsider('GET', `/webhooks/${flow}/${MARK}`);
  await outsider('PROPFIND', '/health');
  await ann('GET', `/api/v1/workflows/${MARK}`);
  await ann('GET', `/api/v1/executions/${flow}?${MARK}=${MARK}`);
  const refused = await outsider('POST', `/webhooks/${flow}`, { [MARK]: 1 });
  expect(refused.status).toBe(404);

  const lines = await until('the answers are over', async () => {
    const now = await scrape();
    return valueOf(now, 'everstep_http_requests_in_flight') === 0 ? now : null;
  });
  const http = (route: string, method: string, status: string): number =>
    valueOf(
      lines,
      `everstep_http_request_duration_seconds_count{route="${route}",method="${method}",status="${status}"}`,
    );
  expect(http('/api/v1/workflows/:id/trigger', 'POST', '2xx')).toBe(2);
  expect(http('/api/v1/workflows/:id', 'GET', '4xx')).toBe(1);
  expect(http('none', 'GET', '4xx')).toBe(1);
  expect(http('none', 'other', '4xx')).toBe(1);
  expect(valueOf(lines, 'everstep_steps_total{type="custom",outcome="done"}')).toBe(1);
  expect(valueOf(lines, 'everstep_steps_total{type="fail",outcome="fail"}')).toBe(1);
  expect(valueOf(lines, 'everstep_executions_started_total{trigger="manual"}')).toBe(2);
  expect(valueOf(lines, 'everstep_executions_waiting{wait="approval"}')).toBe(1);
  expect(valueOf(lines, 'everstep_stays_total{verdict="released"}')).toBe(1);
  expect(valueOf(lines, 'everstep_executions_ended_total{status="failed"}')).toBe(1);
  const tokens = 'everstep_llm_tokens_total{provider="openai-compatible",model="other"';
  expect(valueOf(lines, `${tokens},direction="input"}`)).toBeGreaterThan(0);
  expect(valueOf(lines, 'everstep_journal_entries_total')).toBeGreaterThan(5);
  expect(valueOf(lines, 'everstep_metrics_failures_total')).toBe(0);

  expect(lines.filter((line) => line.includes(MARK))).toEqual([]);
  expect(lines.filter((line) => /[0-9a-f]{8}-[0-9a-f]{4}-/.test(line))).toEqual([]);
});

test('every line is of a metric of the table, and its labels are those that the table says', async () => {
  const byName = new Map(Object.values(METRICS).map((metric) => [metric.name as string, metric]));
  const lines = (await scrape()).filter((line) => !line.startsWith('#'));
  const strange = lines.filter((line) => {
    const [, series = '', labels = ''] = /^([a-z_]+)(?:\{(.*)\})? -?[\d.e+-]+$/.exec(line) ?? [];
    const metric = byName.get(series) ?? byName.get(series.replace(/_(?:bucket|sum|count)$/, ''));
    const names = [...labels.matchAll(/([a-z]+)="(?:[^"\\]|\\.)*"/g)].map(([, name = '']) => name);
    return metric === undefined || names.filter((name) => name !== 'le').join() !== metric.labels.join();
  });
  expect(strange).toEqual([]);
});

test('routes and step types alone fit into what their metrics may have', () => {
  expect(METRICS.stepDuration.maxSeries).toBeGreaterThan(nodes.types.size);
  expect(METRICS.httpDuration.maxSeries).toBeGreaterThan(ROUTES.length * 4);
});

test('the port answers nothing but what is for the operator', async () => {
  const status = async (path: string, method = 'GET'): Promise<number> =>
    (await fetch(`http://127.0.0.1:${metering.port}${path}`, { method })).status;
  expect(await status('/')).toBe(404);
  expect(await status('/metrics', 'POST')).toBe(405);
  expect(await status('/metrics?x=1', 'HEAD')).toBe(200);
  // Before there is anything to ask.
  expect(await status('/workers')).toBe(503);
  expect(await status('/keys')).toBe(503);
});
