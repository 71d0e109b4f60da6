import { connect, type NatsConnection } from 'nats';
import { Principals } from '../../../lib/principal';
import { registerTenant } from '../../support/accounts';
import { sign, type TestApp } from '../../support/app';
import { type Daemon, describeWith, startOwnNats } from '../../support/daemons';
import { until } from '../../support/until';
import { openHouse } from '../executor/house';

/** Actions that anybody may call, on the bus as over HTTP: each asks for a secret of its own, or gives nothing away. */
const OPEN = ['executions.decide_by_link', 'executions.events', 'executions.public', 'workflows.schema'];

interface Answer {
  id: string;
  success: boolean;
  data: unknown;
  meta: unknown;
  error?: { type?: string; stack?: string; message: string; data?: unknown };
}

describeWith('nats', { own: true })('an unauthenticated client on the bus, with no more than a NATS client', () => {
  let nats: Daemon;
  let house: Awaited<ReturnType<typeof openHouse>>;
  let app: TestApp;
  let outsider: NatsConnection;
  let token: string;
  let prefix: string;
  let count = 0;
  const answers = new Map<string, Answer>();
  const crashes: unknown[] = [];
  const crashed = (fault: unknown): void => void crashes.push(fault);

  beforeAll(async () => {
    nats = (await startOwnNats()) as Daemon;
    house = await openHouse({ bus: nats.url, namespace: 'hostile', nodeId: 'host-1' });
    app = house.t;
    prefix = 'MOL-hostile';
    ({ token } = await registerTenant(app));
    outsider = await connect({ servers: nats.url });
    outsider.subscribe(`${prefix}.RES.outsider`, {
      callback: (_, message) => {
        const answer = message.json<Answer>();
        answers.set(answer.id, answer);
      },
    });
    await outsider.flush();
    process.on('unhandledRejection', crashed);
    process.on('uncaughtException', crashed);
  });
  afterAll(async () => {
    process.off('unhandledRejection', crashed);
    process.off('uncaughtException', crashed);
    await outsider.close();
    await house.close();
    await nats.stop();
  });

  const publish = (kind: string, packet: unknown): void =>
    outsider.publish(`${prefix}.${kind}`, typeof packet === 'string' ? packet : JSON.stringify(packet));

  async function ask(action: string, params: unknown, meta: object = {}): Promise<Answer> {
    const id = `q-${count++}`;
    publish('REQ.host-1', { ver: '5', sender: 'outsider', id, action, params, meta, level: 1, timeout: 5_000 });
    return until(`${action} is answered`, () => answers.get(id), 5_000);
  }

  /** Every action there is, by name. */
  const all = (): string[] => app.broker.registry.getActionList({}).map(({ name }) => name as string);
  const service = (tenant_id: string) =>
    ({ kind: 'service', tenant_id, user_id: null, email: null, role: 'service' }) as const;

  test('is answered like any client with a token', async () => {
    const { success, data } = await ask('workflows.list', {}, { token });
    expect({ success, data }).toEqual({
      success: true,
      data: { data: [], limit: expect.any(Number), offset: 0, next_cursor: null },
    });
  });

  test('can call only the open actions without a credential', async () => {
    const outcomes = await Promise.all(all().map(async (name) => [name, await ask(name, {})] as const));
    const inside = outcomes.filter(([, { error }]) => error?.type !== 'unauthenticated').map(([name]) => name);
    expect(inside.sort()).toEqual(OPEN);
  });

  test.each([
    ['a name in meta', () => ({ user: { id: 'u', role: 'owner' }, role: 'owner', tenant_id: house.ann.tenant_id })],
    ['a principal as an object', () => ({ principal: { ...service(house.ann.tenant_id), exp: 9e9 } })],
    ['a principal that is no text', () => ({ principal: 7 })],
    [
      'a principal under another key',
      () => ({ principal: new Principals(Buffer.alloc(32, 9)).forTenant('t', Date.now()) }),
    ],
    ['a principal whose content was changed', () => ({ principal: tampered() })],
    ['a principal of yesterday', () => ({ principal: app.app.principals.sign(service('t'), Date.now() - 86_400_000) })],
    [
      'a principal that has just expired',
      () => ({ principal: app.app.principals.sign(service('t'), Date.now() - 121_000) }),
    ],
    ['a token that is none', () => ({ token: 'not a token' })],
  ])('%s opens nothing', async (_, meta) => {
    const shut = all().filter((name) => !OPEN.includes(name));
    const outcomes = await Promise.all(shut.map((name) => ask(name, {}, meta())));
    for (const { success, error } of outcomes) expect([success, error?.type]).toEqual([false, 'unauthenticated']);
  });

  function tampered(): string {
    const [payload, mac] = sign(app.app, house.ann).split('.') as [string, string];
    const content = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object;
    return `${Buffer.from(JSON.stringify({ ...content, role: 'service' })).toString('base64url')}.${mac}`;
  }

  test("a person's token does not open what is for services", async () => {
    for (const name of [
      'secrets.reveal',
      'executor.start',
      'executions.accept',
      'executions.purge',
      'auth.entitlements',
    ])
      expect((await ask(name, {}, { token })).error?.type).toBe('forbidden');
  });

  test('no response carries meta, whatever the action put there', async () => {
    const workflow = await house.workflow([{ id: 'a', type: 'set', config: { n: 1 } }], {}, 'manual');
    const meta = { principal: sign(app.app, house.ann) };
    const { success, meta: given } = await ask('workflows.trigger', { id: workflow, trigger: {} }, meta);
    expect([success, given]).toEqual([true, {}]);
  });

  test("sees no stack, no name of a database's fault, and no action of the framework", async () => {
    const refused = await ask('workflows.get', { id: 'x' }, { token });
    expect(refused.error).toBeDefined();
    expect(refused.error?.stack).toBeUndefined();
    for (const name of ['$node.services', '$node.options', '$node.actions'])
      expect((await ask(name, {}, { token })).error?.type).toBe('SERVICE_NOT_FOUND');
  });

  test('gets no calls by announcing an action', async () => {
    const services = [
      { name: 'auth', fullName: 'auth', actions: { 'auth.steal': { name: 'auth.steal' } }, events: {} },
    ];
    const info = { ver: '5', sender: 'outsider', instanceID: 'one', services, seq: 1, metadata: { parcels: 1 } };
    publish('INFO', info);
    await until('it is known as a client', () => app.broker.registry.nodes.get('outsider') !== undefined);
    publish('INFO', { ...info, seq: 2, metadata: { proof: 'A'.repeat(43) } });
    publish('INFO', { ...info, seq: 3, metadata: app.broker.metadata });
    await outsider.flush();
    await ask('workflows.list', {}, { token });
    expect(app.broker.registry.getActionEndpoints('auth.steal')).toBeUndefined();
  });

  test('does not end a process by using its node id', async () => {
    publish('INFO', { ver: '5', sender: 'host-1', instanceID: 'other', services: [], seq: 9, metadata: {} });
    expect((await ask('workflows.list', {}, { token })).success).toBe(true);
  });

  test('cannot inject NATS commands through a response', async () => {
    const injected: string[] = [];
    outsider.subscribe('taken.over', { callback: (_, message) => void injected.push(message.string()) });
    const sender = 'x 2\r\n{}\r\nPUB taken.over 3\r\nyes\r\nPUB y';
    for (const kind of ['REQ.host-1', 'DISCOVER', 'PING', 'INFO', 'HEARTBEAT'])
      publish(kind, {
        ver: '5',
        sender,
        id: 'q',
        action: 'workflows.list',
        params: {},
        time: 1,
        instanceID: 'i',
        services: [],
      });
    await outsider.flush();
    expect((await ask('workflows.list', {}, { token })).success).toBe(true);
    expect(injected).toEqual([]);
  });

  test('malformed packets of any kind have no effect', async () => {
    const random = seeded(20_261_121);
    const kinds = [
      'REQ.host-1',
      'RES.host-1',
      'EVENT.host-1',
      'INFO',
      'INFO.host-1',
      'DISCOVER',
      'PING',
      'PONG.host-1',
    ];
    for (const kind of [...kinds, 'HEARTBEAT', 'DISCONNECT', 'UNDELIVERED.host-1.x'])
      for (let n = 0; n < 60; n++) publish(kind, oddPacket(random));
    await outsider.flush();
    expect((await ask('workflows.list', {}, { token })).success).toBe(true);
    expect(app.broker.transit?.pendingReqStreams.size).toBe(0);
    expect(crashes).toEqual([]);
  }, 20_000);
});

/** The same numbers from 0 to 1 for the same seed. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const ODD: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  'x',
  'a.b\r\nPUB c 0\r\n',
  '\u0000',
  [],
  [[[]]],
  {},
  { __proto__: null, toString: 1 },
  [{ name: 'x', actions: { a: null } }],
  [null],
];
const EVENTS = [
  'executor.mail',
  'executor.wake',
  'execution.watch',
  'execution.moved',
  'cache.stale',
  '$node.disconnected',
  '*',
];
const NAMES = ['workflows.list', 'workflows.create', 'auth.login', 'executions.get', '__proto__', 'constructor'];

/** A packet that is right in some members and odd in others, or no packet at all. */
function oddPacket(random: () => number): string {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const shape = random();
  if (shape < 0.1)
    return pick(['', '{', 'null', '[]', '7', '"x"', '{"ver":"5"}', `${'['.repeat(5_000)}${']'.repeat(5_000)}`]);
  const packet: Record<string, unknown> = {
    ver: '5',
    sender: pick(['outsider', 'host-1', 'host-2']),
    id: `f-${Math.floor(random() * 1e9)}`,
    action: pick(NAMES),
    event: pick(EVENTS),
    params: pick(ODD),
    data: pick(ODD),
    groups: [pick(['executor', 'executor@host-1', 'watch@host-1'])],
    meta: {},
    level: 1,
    instanceID: 'i',
    services: [],
    seq: undefined,
    success: true,
  };
  for (let n = 0; n < 2; n++)
    packet[pick([...Object.keys(packet), 'stream', 'headers', 'timeout', 'error'])] = pick(ODD);
  return JSON.stringify(packet).replace(
    '"meta":{}',
    random() < 0.2 ? '"meta":{"__proto__":{"token":"x"}}' : '"meta":{}',
  );
}
