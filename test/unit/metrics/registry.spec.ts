import { readConfig } from '../../../lib/config';
import { CounterSeries, HistogramSeries, Series } from '../../../lib/metrics/instruments';
import { createRegistry, METRICS, SILENT_METRICS } from '../../../lib/metrics';
import { exposition } from '../../../lib/metrics/text';

const lines = (text: string, name: string): string[] => text.split('\n').filter((line) => line.startsWith(name));

describe('metrics', () => {
  it('are in the format of Prometheus', async () => {
    const { metrics, text } = createRegistry();
    metrics.httpDuration.observe(0.004, '/webhooks/:id', 'POST', '2xx');
    metrics.httpDuration.observe(90, '/webhooks/:id', 'POST', '2xx');
    metrics.build.set(1, 'a "b"\\\n', 'v20');
    const written = await text();
    const name = 'everstep_http_request_duration_seconds';
    const labels = 'route="/webhooks/:id",method="POST",status="2xx"';
    expect(lines(written, `# TYPE ${name}`)).toEqual([`# TYPE ${name} histogram`]);
    expect(written).toContain(`${name}_bucket{${labels},le="0.0025"} 0\n${name}_bucket{${labels},le="0.005"} 1\n`);
    expect(written).toContain(`${name}_bucket{${labels},le="60"} 1\n${name}_bucket{${labels},le="+Inf"} 2\n`);
    expect(written).toContain(`${name}_sum{${labels}} 90.004\n${name}_count{${labels}} 2\n`);
    expect(written).toContain('everstep_build_info{version="a \\"b\\"\\\\\\n",node="v20"} 1\n');
    // A counter without counts is 0, unless its labels are not known yet.
    expect(lines(written, 'everstep_executions_taken_over_total')).toEqual(['everstep_executions_taken_over_total 0']);
    expect(lines(written, 'everstep_steps_total')).toEqual([]);
  });

  it('are returned without the part that an unresponsive database does not answer, which is requested once', async () => {
    const { metrics, text } = createRegistry({ collectTimeoutMs: 20 });
    let asked = 0;
    const leave = metrics.onCollect(() => {
      asked += 1;
      return new Promise(() => undefined);
    });
    metrics.onCollect(() => metrics.httpInFlight.set(3));
    expect(await text()).toContain('everstep_http_requests_in_flight 3\n');
    expect(await text()).toContain('everstep_metrics_failures_total 2\n');
    expect(asked).toBe(1);
    leave();
    expect(await text()).toContain('everstep_metrics_failures_total 2\n');
  });

  it('have a limit of series, and count the rest together', () => {
    const count = new CounterSeries(new Series(2, 1, 3));
    for (let n = 0; n < 100; n++) count.add(1, `type-${n}`, 'done');
    count.add(1, 'type-1', 'done');
    expect(count.series.rows).toEqual([
      ['type-0', 'done'],
      ['type-1', 'done'],
      ['type-2', 'done'],
      ['other', 'other'],
    ]);
    expect([...count.series.values.slice(0, 4)]).toEqual([1, 2, 1, 97]);
  });

  it('keep their counts when the limit is raised', () => {
    const spread = new HistogramSeries(new Series(1, 4, 1_000), [1, 2]);
    for (let n = 0; n < 50; n++) spread.observe(n % 4, `l${n}`);
    const metric = { kind: 'histogram', name: 'm', help: 'h', labels: ['l'], bounds: [1, 2] } as const;
    const written = exposition(metric, spread.series);
    expect(lines(written, 'm_bucket{l="l0",')).toEqual([
      'm_bucket{l="l0",le="1"} 1',
      'm_bucket{l="l0",le="2"} 1',
      'm_bucket{l="l0",le="+Inf"} 1',
    ]);
    expect(lines(written, 'm_bucket{l="l47",')).toEqual([
      'm_bucket{l="l47",le="1"} 0',
      'm_bucket{l="l47",le="2"} 0',
      'm_bucket{l="l47",le="+Inf"} 1',
    ]);
  });

  it('are returned although one collector fails, and report the failure', async () => {
    const { metrics, text } = createRegistry();
    metrics.onCollect(() => Promise.reject(new Error('the database is unavailable')));
    const leave = metrics.onCollect(() => metrics.executorLoad.set(0.5));
    const written = await text();
    expect(written).toContain('everstep_metrics_failures_total 1\n');
    expect(written).toContain('everstep_executor_load_ratio 0.5\n');
    leave();
    metrics.executorLoad.set(0.25);
    expect(await text()).toContain('everstep_executor_load_ratio 0.25\n');
  });

  it('are not collected without a registry', () => {
    expect(SILENT_METRICS.on).toBe(false);
    expect(() => SILENT_METRICS.httpDuration.observe(1, '/', 'GET', '2xx')).not.toThrow();
    expect(Object.keys(SILENT_METRICS).sort()).toEqual([...Object.keys(METRICS), 'on', 'onCollect'].sort());
  });

  it.each([
    ['off', null],
    ['9464', 9464],
    ['0', 0],
  ])('are served at METRICS_PORT=%s', (text, port) =>
    expect(readConfig({ METRICS_PORT: text }).metricsPort).toBe(port),
  );

  it('are off by default, and an invalid port is refused', () => {
    expect(readConfig({}).metricsPort).toBeNull();
    expect(() => readConfig({ METRICS_PORT: 'on' })).toThrow('METRICS_PORT="on" must be a whole number');
  });

  it.each(Object.values(METRICS))('$name follows the naming rules of Prometheus', ({ name, kind, help, labels }) => {
    expect(name).toMatch(/^(everstep|process)_[a-z_]+$/);
    expect(name.endsWith('_total')).toBe(kind === 'counter');
    expect(help.length).toBeGreaterThan(10);
    expect(new Set(labels).size).toBe(labels.length);
    if (kind === 'histogram') expect(name).toMatch(/_(seconds|bytes)$/);
  });
});
