import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SERVICE_NAMES } from '../../../lib/config';
import { VARIABLES } from '../../../lib/config-variables';
import { METRICS } from '../../../lib/metrics';
import { faultsOf } from '../../support/kubernetes-schema';
import { canRender, type Manifest, rendered, written } from '../../support/manifests';

interface Container {
  name: string;
  image: string;
  ports?: { name: string; containerPort: number }[];
  env?: { name: string; value?: string }[];
  envFrom?: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> };
  securityContext?: { readOnlyRootFilesystem?: boolean; allowPrivilegeEscalation?: boolean };
  [probe: string]: unknown;
}

const ROOT = join(__dirname, '..', '..', '..');
const ROLES = ['gateway', 'executor', 'scheduler', 'knowledge'];

const deployments = (all: readonly Manifest[]): Manifest[] =>
  all.filter(({ kind, metadata }) => kind === 'Deployment' && metadata.name.startsWith('everstep-'));
const podOf = (deployment: Manifest) =>
  (deployment.spec as { template: { metadata: { labels: Record<string, string> }; spec: PodSpec } }).template;
interface PodSpec {
  containers: Container[];
  terminationGracePeriodSeconds: number;
  securityContext: { runAsNonRoot?: boolean; runAsUser?: number };
}
const containerOf = (deployment: Manifest): Container => podOf(deployment).spec.containers[0] as Container;
const variable = (container: Container, name: string): string =>
  container.env?.find((one) => one.name === name)?.value ?? '';
const matches = (selector: Record<string, string>, labels: Record<string, string>): boolean =>
  Object.entries(selector).every(([key, value]) => labels[key] === value);

test('what is written down is valid by the schemas of Kubernetes, without a field that they do not know', () => {
  const all = written();
  expect(all.length).toBeGreaterThan(20);
  expect(all.flatMap(faultsOf)).toEqual([]);
});

test('a misspelt field, and a wrong type, are found', () => {
  const [first] = deployments(written());
  const spec = first?.spec as Record<string, unknown>;
  expect(faultsOf({ ...first, spec: { ...spec, replica: 2 } } as Manifest)).toEqual([
    expect.stringContaining('unknown field /spec/replica'),
  ]);
  expect(faultsOf({ ...first, spec: { ...spec, replicas: 'two' } } as Manifest)).toHaveLength(1);
});

test('there is a role for every service, and only the gateway listens to people', () => {
  const roles = deployments(written());
  expect(roles.map(({ metadata }) => metadata.name.replace('everstep-', '')).sort()).toEqual([...ROLES].sort());
  const services = roles.flatMap((role) => variable(containerOf(role), 'SERVICES').split(','));
  expect(services.sort()).toEqual([...SERVICE_NAMES].sort());
});

test.each(ROLES)('%s: hardened, bounded, probed, and given the time that its drain takes', (name) => {
  const role = deployments(written()).find(({ metadata }) => metadata.name === `everstep-${name}`) as Manifest;
  const { spec } = podOf(role);
  const container = containerOf(role);
  expect(spec.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
  expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false });
  expect(container.resources?.requests).toEqual({ cpu: expect.any(String), memory: expect.any(String) });
  expect(container.resources?.limits).toHaveProperty('memory');
  const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'].map(
    (probe) => (container[probe] as { httpGet: { path: string; port: string } }).httpGet,
  );
  expect(probes.map(({ path }) => path)).toEqual(['/health/startup', '/health/live', '/health/ready']);
  expect(container.ports?.map((port) => port.name)).toEqual(expect.arrayContaining(probes.map(({ port }) => port)));
  const before = Number(variable(container, 'SHUTDOWN_DELAY_SECONDS'));
  // A gateway is lost to those who send requests before it takes none: by two probes that fail, and a little.
  if (name === 'gateway') expect(before).toBeGreaterThanOrEqual(8);
  // Five seconds is what a stop takes at the longest after the steps in flight.
  expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(
    before + Number(variable(container, 'SHUTDOWN_GRACE_SECONDS')) + 5,
  );
});

test('selectors select pods that there are, and ports that these have', () => {
  const all = written();
  const pods = all.filter(({ kind }) => kind === 'Deployment').map((one) => podOf(one));
  const selectors = all.flatMap(({ kind, metadata, spec }) => {
    const { selector, podSelector } = (spec ?? {}) as Record<
      string,
      { matchLabels?: Record<string, string> } | undefined
    >;
    if (kind === 'Service') return [{ name: metadata.name, labels: selector as Record<string, string> }];
    const given = kind === 'NetworkPolicy' ? podSelector : kind === 'PodDisruptionBudget' ? selector : undefined;
    return given === undefined ? [] : [{ name: metadata.name, labels: given.matchLabels ?? {} }];
  });
  expect(selectors.length).toBeGreaterThan(8);
  const lost = selectors.filter(({ labels }) => !pods.some((pod) => matches(labels, pod.metadata.labels)));
  expect(lost).toEqual([]);
  const ports = (manifest: Manifest): string[] =>
    (manifest.spec as { ports: { targetPort: string }[] }).ports.map(({ targetPort }) => targetPort);
  for (const service of all.filter(({ kind }) => kind === 'Service')) {
    const selector = (service.spec as { selector: Record<string, string> }).selector;
    const pod = pods.find(({ metadata }) => matches(selector, metadata.labels));
    expect(pod?.spec.containers[0]?.ports?.map(({ name }) => name)).toEqual(expect.arrayContaining(ports(service)));
  }
});

test('every variable that is the same for all roles and no secret is in the ConfigMap, and no other is', () => {
  const names = VARIABLES.flatMap(({ variables }) => variables.map(({ name }) => name));
  const perRole = new Set(
    deployments(written()).flatMap((role) => containerOf(role).env?.map(({ name }) => name) ?? []),
  );
  const secret = (name: string): boolean =>
    (/(KEY|SECRET|TOKEN|PREVIOUS|SEED)$/.test(name) && name !== 'NATS_TLS_KEY') ||
    ['MONGO_URL', 'TRANSPORTER', 'REDIS_URL', 'SMTP_URL', 'OTEL_EXPORTER_OTLP_HEADERS', 'NATS_CREDS'].includes(name);
  const wanted = names.filter((name) => !perRole.has(name) && !secret(name));
  const listed = readFileSync(join(ROOT, 'k8s', 'base', 'everstep.env'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.slice(0, line.indexOf('=')));
  expect(listed.sort()).toEqual(wanted.sort());
});

test('executors scale by metrics that there are', () => {
  const scaler = written().find(({ kind }) => kind === 'HorizontalPodAutoscaler') as Manifest;
  const { metrics } = scaler.spec as { metrics: { pods?: { metric: { name: string } } }[] };
  const adapter = readFileSync(join(ROOT, 'k8s', 'monitoring', 'adapter.yaml'), 'utf8');
  const names = Object.values(METRICS).map(({ name }) => name as string);
  const asked = metrics.flatMap(({ pods }) => (pods === undefined ? [] : [pods.metric.name]));
  expect(asked).toEqual(['everstep_executor_load_ratio', 'everstep_claim_lag_p99_seconds']);
  expect(asked.filter((name) => !names.includes(name) && !adapter.includes(`as: ${name}`))).toEqual([]);
  const series = [...adapter.matchAll(/(everstep_\w+?)(?:_bucket)?\{/g)].map(([, name]) => name as string);
  expect(series.filter((name) => !names.includes(name))).toEqual([]);
});

const overlays = canRender ? (['dev', 'production'] as const) : [];
if (!canRender) console.warn('SKIPPED: overlays of Kubernetes are not rendered, since there is no kubectl');

test.each(overlays)('the overlay %s renders, and what comes of it is valid', (overlay) => {
  const all = rendered(overlay);
  expect(all.flatMap(faultsOf)).toEqual([]);
  expect(deployments(all)).toHaveLength(ROLES.length);
  const made = new Set(
    all.filter(({ kind }) => ['ConfigMap', 'Secret'].includes(kind)).map((one) => one.metadata.name),
  );
  for (const role of deployments(all)) {
    const sources = containerOf(role).envFrom ?? [];
    const config = sources.flatMap(({ configMapRef }) => (configMapRef === undefined ? [] : [configMapRef.name]));
    expect(config.filter((name) => !made.has(name))).toEqual([]);
    // In production the operator makes the Secret; it is named, never written down.
    const secrets = sources.flatMap(({ secretRef }) => (secretRef === undefined ? [] : [secretRef.name]));
    expect(secrets.every((name) => (overlay === 'dev' ? made.has(name) : name === 'everstep-secrets'))).toBe(true);
  }
});
