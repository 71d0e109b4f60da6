import { connect, type NatsConnection } from 'nats';
import type { ServiceFactory, TestApp } from '../../support/app';
import { describeWith } from '../../support/daemons';
import { until } from '../../support/until';
import { actions, type House, knows, openHouse } from './test-cluster';

describeWith('nats', { own: true })('messages that an outsider has recorded on the bus', () => {
  let house: House;
  let near: TestApp;
  let far: TestApp;
  let outsider: NatsConnection;
  const received: unknown[] = [];
  const recorded: { subject: string; data: Uint8Array }[] = [];
  const listening: ServiceFactory = () => ({
    name: 'listening',
    events: { 'test.sent': (ctx: { params: unknown }) => void received.push(ctx.params) },
  });

  beforeAll(async () => {
    house = await openHouse();
    outsider = await connect({ servers: house.nats.url });
    outsider.subscribe('>', { callback: (_, { subject, data }) => void recorded.push({ subject, data }) });
    await outsider.flush();
    near = await house.join('near', [listening]);
    far = await house.join('far', [actions({ 'offers.work': () => 'done' })]);
    await knows(near, 'offers.work');
    await until('far knows near', () => far.broker.registry.nodes.get('near') !== undefined);
  });
  afterAll(async () => {
    await outsider?.close();
    await house?.close();
  });

  const of = (kind: string, sender: string) =>
    recorded.filter(
      ({ subject, data }) =>
        subject.includes(`.${kind}`) &&
        (JSON.parse(Buffer.from(data).toString()) as { sender: string }).sender === sender,
    );
  const again = async (packets: readonly { subject: string; data: Uint8Array }[]): Promise<void> => {
    for (const { subject, data } of packets) outsider.publish(subject, data);
    await outsider.flush();
    // An event behind it that counts: what came before it has been handled by then.
    const mark = received.length;
    await far.broker.broadcast('test.sent', { mark });
    await until('what was sent later has come', () =>
      received.some((each) => (each as { mark?: number }).mark === mark),
    );
  };

  test('is accepted once, and not again, for another node, or with other content', async () => {
    await far.broker.broadcast('test.sent', { text: 'hello' });
    await until('it has come', () => received.length === 1);
    const packets = await until('it was recorded', () => {
      const found = of('EVENT.near', 'far');
      return found.length > 0 ? found : null;
    });
    const changed = packets.map(({ subject, data }) => ({
      subject,
      data: Buffer.from(Buffer.from(data).toString().replace('hello', 'hullo')),
    }));
    const unsigned = packets.map(({ subject, data }) => {
      const { auth: _auth, ...rest } = JSON.parse(Buffer.from(data).toString()) as Record<string, unknown>;
      return { subject, data: Buffer.from(JSON.stringify(rest)) };
    });
    await again([...packets, ...changed, ...unsigned]);
    expect(received.filter((each) => (each as { text?: string }).text !== undefined)).toEqual([{ text: 'hello' }]);
  });

  test('disconnects no node, and reconnects none', async () => {
    await house.join('gone', [actions({ 'offers.more': () => 'done' })]).then(async (gone) => {
      await knows(near, 'offers.more');
      await gone.close();
    });
    await until('it is gone', () => near.broker.registry.getActionEndpoints('offers.more')?.hasAvailable() === false);
    const packets = [...of('INFO', 'gone'), ...of('DISCONNECT', 'gone')];
    expect(packets.length).toBeGreaterThan(1);
    await again(packets);
    expect(near.broker.registry.getActionEndpoints('offers.more')?.hasAvailable()).not.toBe(true);
    const forged = { ver: '5', sender: 'far' };
    await again([{ subject: `MOL-${house.namespace}.DISCONNECT`, data: Buffer.from(JSON.stringify(forged)) }]);
    expect(await near.broker.call('offers.work')).toBe('done');
  });

  test('removes no action of a node', async () => {
    await far.broker.registry.discoverer.sendLocalNodeInfo();
    const [packet] = await until('its INFO was recorded', () => {
      const found = of('INFO', 'far').filter(({ subject }) => subject.endsWith('.INFO'));
      return found.length > 0 ? found.slice(-1) : null;
    });
    const { subject, data } = packet as { subject: string; data: Uint8Array };
    const { auth: _auth, ...info } = JSON.parse(Buffer.from(data).toString()) as Record<string, unknown>;
    const forged = [
      { ...info, seq: 1_000_000 },
      { ...info, instanceID: 'another' },
      { ...info, services: [] },
    ].map((each) => ({ subject, data: Buffer.from(JSON.stringify(each)) }));
    await again([{ subject, data }, ...forged]);
    expect(await near.broker.call('offers.work')).toBe('done');
    expect(near.broker.registry.nodes.get('far')?.services.map(({ name }) => name)).toContain('offers');
  });

  test('does not block a node id that an unauthenticated client used before', async () => {
    const forged = { ver: '5', sender: 'later', instanceID: 'any', seq: 1_000_000, services: [] };
    await again([{ subject: `MOL-${house.namespace}.INFO`, data: Buffer.from(JSON.stringify(forged)) }]);
    expect(near.broker.registry.nodes.get('later')?.instanceID).toBe('');
    await house.join('later', [actions({ 'starts.later': () => 'done' })]);
    await knows(near, 'starts.later');
    expect(await near.broker.call('starts.later')).toBe('done');
  });
});
