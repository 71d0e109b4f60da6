import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { parser } from '@prometheus-io/lezer-promql';
import { createRegistry, METRICS } from '../../../lib/metrics';
import { ROUTES } from '../../../services/api-gateway/routes';

const ROOT = join(__dirname, '..', '..', '..');
const text = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly description: string; readonly runbook: string };
}
const rules = load(text('k8s/monitoring/rules.yaml')) as { groups: { name: string; rules: Alert[] }[] };
const alerts = rules.groups.flatMap((group) => group.rules);

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}
const dashboard = JSON.parse(text('k8s/monitoring/dashboard.json')) as { panels: Panel[] };
const panels = dashboard.panels.filter(({ targets }) => targets !== undefined);
/** The variables that Grafana replaces. */
const asked = panels.flatMap(({ targets = [] }) =>
  targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*')),
);

/** Labels that Prometheus adds by itself. */
const OF_PROMETHEUS = ['instance', 'job', 'le'];

/** The selectors of a query: the metric, and the labels that it is picked by. @throws Error with the place of a fault */
function selectorsOf(query: string): { metric: string; labels: string[] }[] {
  const found: { metric: string; labels: string[] }[] = [];
  parser.parse(query).iterate({
    enter({ name, from, to, type }) {
      const part = query.slice(from, to);
      if (type.isError) throw new Error(`${query} cannot be read at ${from}`);
      if (name === 'VectorSelector') found.push({ metric: '', labels: [] });
      const last = found.at(-1);
      if (name === 'Identifier' && last !== undefined) last.metric = part;
      if (name === 'UnquotedLabelMatcher') last?.labels.push(part.split(/[=!]/)[0]?.trim() ?? '');
    },
  });
  return found;
}

/** The labels by which a query groups. */
const groupsOf = (query: string): string[] =>
  [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(',').map((name) => name.trim()));

/** The unknown names in a query. */
function faultsOf(query: string): string[] {
  const selectors = selectorsOf(query);
  const known = selectors.map(({ metric, labels }) => {
    const [, base = metric, part = ''] = /^(.*?)(_bucket|_sum|_count)?$/.exec(metric) ?? [];
    const spec = Object.values(METRICS).find(({ name, kind }) =>
      kind === 'histogram' ? name === base && part !== '' : name === metric,
    );
    const own: readonly string[] = spec?.labels ?? [];
    const allowed = [...own, ...OF_PROMETHEUS];
    const unknown = spec === undefined && metric !== 'up';
    return { allowed, faults: unknown ? [metric] : labels.filter((label) => !allowed.includes(label)) };
  });
  const allowed = known.flatMap((each) => each.allowed);
  return [...known.flatMap(({ faults }) => faults), ...groupsOf(query).filter((label) => !allowed.includes(label))];
}

test('a query with an unknown metric or label is detected', () => {
  expect(faultsOf('sum by (route) (rate(everstep_nothing_total{x="1"}[5m]))')).toContain('everstep_nothing_total');
  expect(faultsOf('sum by (tenant) (everstep_executions_ready)')).toEqual(['tenant']);
  expect(faultsOf('everstep_claim_lag_seconds > 1')).toEqual(['everstep_claim_lag_seconds']);
  expect(() => faultsOf('sum(rate(everstep_executions_ready[5m])')).toThrow('cannot be read');
});

describe('alerts', () => {
  it.each(alerts)('$alert uses known metrics, and says what to do', ({ alert, expr, labels, annotations }) => {
    expect(faultsOf(expr)).toEqual([]);
    expect(['critical', 'warning', 'info']).toContain(labels.severity);
    expect(annotations.runbook).toBe(`docs/operations.md#${alert.toLowerCase()}`);
    const paragraph = text('docs/operations.md').split(`\n### ${alert}\n\n`)[1]?.split('\n#')[0] ?? '';
    expect(paragraph).toContain(`*${annotations.summary}.*`);
    expect(paragraph.length).toBeGreaterThan(annotations.summary.length + 100);
  });

  it('detect the first increment: counters that they use with increase() start at 0', async () => {
    const exported = (await createRegistry().text()).split('\n');
    const firsts = alerts.filter(({ expr }) => /increase\(.*> 0$/.test(expr));
    expect(firsts.length).toBeGreaterThan(3);
    for (const { expr } of firsts) {
      const [, name = '', label = '', values = ''] = /increase\((\w+)(?:\{(\w+)=~?"([^"]*)"\})?\[/.exec(expr) ?? [];
      for (const value of values.split('|'))
        expect(exported).toContain(label === '' ? `${name} 0` : `${name}{${label}="${value}"} 0`);
    }
  });

  it('have unique names', () => {
    expect(new Set(alerts.map(({ alert }) => alert)).size).toBe(alerts.length);
  });

  it('exclude only existing routes', () => {
    const patterns = alerts.flatMap(({ expr }) => [...expr.matchAll(/route!~"([^"]+)"/g)].map(([, one = '']) => one));
    expect(patterns.length).toBeGreaterThan(0);
    for (const part of patterns.flatMap((pattern) => pattern.split('|')))
      expect(ROUTES.filter(({ path }) => new RegExp(`^(?:${part})$`).test(path)).length).toBeGreaterThan(0);
  });

  it('link to existing paragraphs of the runbook', () => {
    const page = text('docs/operations.md');
    const anchors = [...page.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    );
    const links = [...page.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = '']) => anchor);
    expect(links.filter((link) => !anchors.includes(link))).toEqual([]);
  });
});

describe('the dashboard', () => {
  it('uses known metrics', () => {
    expect(asked.length).toBeGreaterThan(40);
    expect(asked.flatMap(faultsOf)).toEqual([]);
  });

  it('shows every metric except the start time of the process', () => {
    const shown = asked.join();
    const hidden = Object.values(METRICS).filter(({ name }) => !shown.includes(name));
    expect(hidden.map(({ name }) => name)).toEqual(['process_start_time_seconds']);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  });
});
