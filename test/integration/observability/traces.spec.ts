import { systemClock } from '../../../lib/clock';
import { readConfig } from '../../../lib/config';
import { randomId } from '../../../lib/ids';
import { createRegistry, type Registry } from '../../../lib/metrics';
import { openTracing, type Tracing } from '../../../start/tracing';
import { openTestDatabase, startApp, type StartOptions, type TestApp, type TestDatabase } from '../../support/app';
import { type SeenSpan, startTraceCollector, type TraceCollector } from '../../support/trace-collector';
import { until } from '../../support/until';
import { type Ask, executor, frontServices, newTenant, workflowOf } from '../custom-nodes/house';
import { startServer, type TestServer } from '../nodes/server';

const SECRET = 'hunter2-of-the-collector';
const CALLER = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' };
const SERVER = 2;

interface Stored {
  readonly _id: string;
  readonly owner: string | null;
  readonly waiting: readonly unknown[];
  readonly status: string;
}

const namespace = randomId();
let collector: TraceCollector;
let database: TestDatabase;
let outside: TestServer;
let front: TestApp;
let ann: Ask;
let token: string;
const open: { app: TestApp; tracing: Tracing }[] = [];
const registry: Registry = createRegistry();
const warnings: string[] = [];

const env = (): Record<string, string> => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
  OTEL_EXPORTER_OTLP_HEADERS: `x-key=${SECRET}`,
  OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
  EGRESS_ALLOW: '127.0.0.1',
});

/** The traces of a process, from its environment. */
function tracingOf(nodeId: string): Tracing {
  const config = readConfig(env()).tracing;
  if (config === null) throw new Error('The environment names a collector');
  const warn = (message: string): number => warnings.push(message);
  return openTracing(config, { nodeId, clock: systemClock, metrics: registry.metrics, warn });
}

async function start(nodeId: string, services: StartOptions['services']): Promise<TestApp> {
  const tracing = tracingOf(nodeId);
  const common = { database, namespace, transporter: 'Fake', env: env(), nodeId, tracer: tracing.tracer };
  const app = await startApp({ ...common, services });
  open.push({ app, tracing });
  return app;
}

/** Stops a node, and has it send what is left of its spans. */
async function stop(app: TestApp): Promise<void> {
  const at = open.findIndex((each) => each.app === app);
  const [found] = open.splice(at, 1);
  await found?.app.close();
  await found?.tracing.close();
}

const knows = (app: TestApp, action: string, nodes: number): Promise<unknown> =>
  until(`${nodes} nodes have ${action}`, () => {
    const endpoints = app.broker.registry.getActionEndpoints(action)?.endpoints.length ?? 0;
    return endpoints === nodes;
  });

beforeAll(async () => {
  collector = await startTraceCollector();
  database = await openTestDatabase();
  outside = await startServer((_request, response) => response.end('{}'));
  front = await start('front', frontServices);
  const tenant = await newTenant(front);
  ann = tenant.owner;
  const { body } = await ann('POST', '/api/v1/api-keys', { name: 'traces' });
  token = String(body.key);
});
afterAll(async () => {
  while (open[0] !== undefined) await stop(open[0].app);
  await outside?.close();
  await database?.close();
  await collector?.close();
});

const trigger = async (workflow: string, traceparent: string): Promise<string> => {
  const response = await fetch(`${front.url}/api/v1/workflows/${workflow}/trigger`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', traceparent },
    body: JSON.stringify({ secret: SECRET }),
  });
  expect(response.status).toBe(202);
  return String(((await response.json()) as { id: string }).id);
};

test('a run is one trace with the request that started it, its child and its second host, and its requests carry the trace', async () => {
  const first = await start('first', [executor]);
  await knows(front, 'executor.start', 1);
  await workflowOf(ann, [{ id: 'inner', type: 'set', config: { x: 1 } }], 'Child');
  const flow = await workflowOf(ann, [
    { id: 'ask', type: 'http_request', config: { url: `${outside.url}/one` } },
    { id: 'own', type: 'http_request', config: { url: `${outside.url}/two`, headers: { TraceParent: 'mine' } } },
    { id: 'child', type: 'sub_workflow', config: { workflow: 'Child' } },
    { id: 'pause', type: 'wait_for_signal', config: { signal: 'go' } },
    { id: 'after', type: 'fail', config: { message: SECRET } },
  ]);
  const id = await trigger(flow, `00-${CALLER.trace}-${CALLER.span}-01`);
  await until('the run waits for its signal, and has left memory', async () => {
    const found = await front.app.db.collection<Stored>('executions').findOne({ _id: id });
    return found?.owner === null && found.waiting.length > 0 && found.status === 'running';
  });
  await stop(first);
  await start('second', [executor]);
  await knows(front, 'executor.start', 1);
  await ann('POST', `/api/v1/executions/${id}/signal`, { signal: 'go', data: {} });
  await until('the run has ended', async () => (await ann('GET', `/api/v1/executions/${id}`)).body.status === 'failed');
  // They are on their way for a second at most.
  const spans = await until('the front and the second host have sent their spans', () => {
    const known = collector.spans.filter(({ traceId }) => traceId === CALLER.trace);
    const run = known.some(
      ({ attributes }) => attributes['everstep.execution.id'] === id && 'everstep.execution.status' in attributes,
    );
    return run && known.some(({ kind }) => kind === SERVER) && known.some(({ name }) => name === 'fail') ? known : null;
  });

  const one = (name: string, match: Record<string, unknown> = {}): SeenSpan => {
    const found = spans.filter(
      (span) => span.name === name && Object.entries(match).every(([key, value]) => span.attributes[key] === value),
    );
    expect(found).toHaveLength(1);
    return found[0] as SeenSpan;
  };
  const request = one('POST /api/v1/workflows/:id/trigger');
  expect(request).toMatchObject({
    parentSpanId: CALLER.span,
    kind: SERVER,
    error: null,
    attributes: { 'http.response.status_code': 202, 'http.route': '/api/v1/workflows/:id/trigger' },
    resource: { 'service.name': 'everstep', 'service.instance.id': 'front', 'deployment.environment': 'test' },
  });
  const run = one('execution', { 'everstep.execution.id': id });
  expect(run).toMatchObject({
    parentSpanId: request.spanId,
    error: 'failed',
    attributes: {
      'everstep.execution.status': 'failed',
      'everstep.workflow.id': flow,
      'everstep.trigger.type': 'manual',
    },
    resource: { 'service.instance.id': 'second' },
  });
  const ask = one('http_request', { 'everstep.step.id': 'ask' });
  expect(ask).toMatchObject({
    parentSpanId: run.spanId,
    attributes: { 'everstep.step.attempt': 1, 'everstep.step.outcome': 'done', 'everstep.execution.id': id },
    resource: { 'service.instance.id': 'first' },
  });
  expect(one('fail')).toMatchObject({
    parentSpanId: run.spanId,
    error: 'failed',
    resource: { 'service.instance.id': 'second' },
  });
  const child = one('execution', { 'everstep.parent.execution.id': id });
  expect(child.parentSpanId).toBe(one('sub_workflow').spanId);
  expect(one('set').parentSpanId).toBe(child.spanId);

  const parentAt = (url: string): unknown => outside.seen.find((seen) => seen.url === url)?.headers.traceparent;
  expect(parentAt('/one')).toBe(`00-${CALLER.trace}-${ask.spanId}-01`);
  expect(parentAt('/two')).toBe('mine');
  expect(collector.requests.every((headers) => headers['x-key'] === SECRET)).toBe(true);
  expect(JSON.stringify(collector.spans)).not.toContain(SECRET);
});

test('the trace context of a caller that does not sample is passed on, and no span is sent', async () => {
  const flow = await workflowOf(ann, [{ id: 'ask', type: 'http_request', config: { url: `${outside.url}/three` } }]);
  const trace = 'd'.repeat(32);
  const id = await trigger(flow, `00-${trace}-${CALLER.span}-00`);
  await until(
    'the run has ended',
    async () => (await ann('GET', `/api/v1/executions/${id}`)).body.status === 'completed',
  );
  const three = outside.seen.find(({ url }) => url === '/three')?.headers.traceparent;
  expect(three).toMatch(new RegExp(`^00-${trace}-[0-9a-f]{16}-00$`));
  expect(collector.spans.filter(({ traceId }) => traceId === trace)).toEqual([]);
});

test('spans that a busy collector refuses come later, and of those that it will never take the loss is counted', async () => {
  collector.refusals.push({ status: 503, headers: { 'retry-after': '0' } });
  const { tracer, close } = tracingOf('telling');
  const span = (name: string): void =>
    tracer.end({
      context: { traceId: 'e'.repeat(32), spanId: 'f'.repeat(16), sampled: true },
      parentSpanId: null,
      name,
      kind: 'internal',
      startedAt: 1,
      endedAt: 2,
      attributes: {},
      error: null,
    });
  span('late');
  await until('the span has come at the second try', () => collector.spans.some(({ name }) => name === 'late'), 10_000);
  expect(warnings).toContain('Traces cannot be sent: the collector answered 503');
  collector.refusals.push({ status: 400 });
  span('lost');
  await close();
  expect(collector.spans.some(({ name }) => name === 'lost')).toBe(false);
  expect(await registry.text()).toContain('everstep_trace_spans_total{outcome="dropped"} 1\n');
});
