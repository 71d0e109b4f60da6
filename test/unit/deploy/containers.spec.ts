import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { load } from 'js-yaml';
import { SERVICE_NAMES } from '../../../lib/config';

interface ComposeService {
  readonly image?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly networks?: readonly string[];
  readonly volumes?: readonly string[];
  readonly read_only?: boolean;
  readonly user?: string;
  readonly deploy?: { readonly replicas: number };
}

const ROOT = join(__dirname, '..', '..', '..');
const textOf = (...path: string[]): string => readFileSync(join(ROOT, ...path), 'utf8');
/** `<<` of YAML 1.1, which Compose knows and the parser does not. */
const merged = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { '<<': base, ...own } = value as Record<string, unknown>;
  const all = { ...(merged(base) as object | undefined), ...own };
  return Object.fromEntries(Object.entries(all).map(([key, inner]) => [key, merged(inner)]));
};
const compose = merged(load(textOf('compose.yaml'))) as {
  services: Record<string, ComposeService>;
  networks: Record<string, { internal?: boolean }>;
};
const servicesOf = (name: string): string[] => compose.services[name]?.environment?.SERVICES?.split(',') ?? [];

test('the Dockerfile is well formed, pins its base, and ends with an unprivileged user', () => {
  const text = textOf('Dockerfile');
  expect(validate(text).map(({ message, range }) => `${range.start.line + 1}: ${message}`)).toEqual([]);
  expect(text).toMatch(/^ARG NODE_IMAGE=node:\d+\.\d+\.\d+-[a-z]+-slim$/m);
  const last = text.slice(text.lastIndexOf('\nFROM '));
  expect(last).toMatch(/^USER node$/m);
  expect(last).toMatch(/^HEALTHCHECK /m);
  expect(last).not.toContain('npm');
});

test('the build context has the sources of the image, but no secrets and data', () => {
  const lines = textOf('.dockerignore').trim().split('\n');
  expect(lines[0]).toBe('*');
  const rooms = lines.slice(1).map((line) => line.slice(1));
  expect(rooms.filter((room) => !existsSync(join(ROOT, room)))).toEqual([]);
  const built = (load(textOf('start', 'tsconfig.json')) as { include: string[] }).include;
  const needed = built.map((pattern) => pattern.replace(/^\.\.\//, '').split('/')[0] as string);
  expect(needed.filter((room) => !rooms.includes(room))).toEqual([]);
  expect(rooms.filter((room) => /env|data|keys|test/.test(room))).toEqual([]);
});

test('each service belongs to one role, and roles have the documented numbers of replicas', () => {
  const services = ['gateway', 'executor', 'scheduler'].flatMap(servicesOf);
  expect(services.sort()).toEqual([...SERVICE_NAMES].sort());
  expect(compose.services.gateway?.deploy?.replicas).toBe(2);
  expect(compose.services.executor?.deploy?.replicas).toBe(3);
});

test('only the proxy can be reached from outside, and the stores only by the roles', () => {
  const open = Object.entries(compose.services).filter(([, { ports }]) => ports !== undefined);
  expect(open.map(([name]) => name)).toEqual(['proxy']);
  expect(compose.networks.inside?.internal).toBe(true);
  for (const store of ['nats', 'mongo', 'redis', 'qdrant'])
    expect(compose.services[store]?.networks).toEqual(['inside']);
});

test('images are pinned; ours runs unprivileged on a read-only file system', () => {
  const images = Object.values(compose.services).map(({ image }) => image ?? '');
  expect(images.filter((image) => !/:v?\d+\.\d+|^everstep:local$/.test(image))).toEqual([]);
  for (const role of ['gateway', 'executor', 'scheduler'])
    expect(compose.services[role]).toMatchObject({ read_only: true, user: 'node' });
});

test('no secret has a default', () => {
  const secrets = [...textOf('compose.yaml').matchAll(/\$\{([A-Z_]*(?:KEY|SECRET|PASSWORD)[A-Z_]*)([^}]*)\}/g)];
  expect(secrets.length).toBeGreaterThan(5);
  expect(secrets.filter(([, , rest]) => !rest?.startsWith(':?')).map(([whole]) => whole)).toEqual([]);
});

/** Programs that check the files: docker-compose, haproxy, nats-server. */
const judges = [
  ['docker-compose', ['-f', 'compose.yaml', 'config', '-q']],
  ['haproxy', ['-c', '-q', '-f', 'compose/haproxy.cfg']],
  ['nats-server', ['-t', '-c', 'compose/nats.conf']],
] as const;

test.each(judges)('%s takes what is written for it', (program, args) => {
  const passwords = Object.fromEntries(
    [...textOf('compose.yaml').matchAll(/\$\{(\w+):\?/g)].map(([, name]) => [name as string, 'x'.repeat(44)]),
  );
  const { error, status, stderr } = spawnSync(program, args, {
    cwd: ROOT,
    env: { ...process.env, ...passwords },
    encoding: 'utf8',
  });
  if (error !== undefined) return console.warn(`SKIPPED: ${program} is not here, so its file was not checked`);
  expect(status === 0 ? '' : stderr).toBe('');
});
