import { connect, type NatsConnection } from 'nats';
import { describeWith, type Daemon, startOwnNats } from '../../support/daemons';
import { type Proxy, startProxy } from '../../support/proxy';
import { until } from '../../support/until';

describeWith('nats', { own: true })('a NATS server of a test, behind a proxy', () => {
  let nats: Daemon;
  let proxy: Proxy;
  let client: NatsConnection;

  beforeAll(async () => {
    nats = (await startOwnNats()) as Daemon;
    proxy = await startProxy(nats.port);
    client = await connect({ servers: `127.0.0.1:${proxy.port}`, reconnectTimeWait: 20, maxReconnectAttempts: -1 });
  });
  afterAll(async () => {
    await client.close();
    await proxy.close();
    await nats.stop();
  });

  const answers = (): Promise<boolean> =>
    client.flush().then(
      () => true,
      () => false,
    );
  const answersWithin = (ms: number): Promise<boolean> =>
    Promise.race([answers(), new Promise<boolean>((done) => setTimeout(done, ms, false))]);

  test('answers; a stalled proxy drops data, a healed one forwards again', async () => {
    expect(await answers()).toBe(true);
    proxy.stall();
    expect(await answersWithin(100)).toBe(false);
    proxy.heal();
    await until('the client has come back', answers);
  });

  test('a cut proxy refuses connections until it is healed', async () => {
    proxy.cut();
    expect(await answersWithin(100)).toBe(false);
    proxy.heal();
    await until('the client has come back', answers);
  });

  test('a paused server keeps its connections; a killed one comes back on its port', async () => {
    nats.pause();
    // The signal takes a moment on a busy machine.
    await until('it is silent', async () => !(await answersWithin(100)));
    nats.resume();
    await until('it answers after the pause', answers);
    const before = nats.pid;
    await nats.kill();
    await nats.restart();
    expect(nats.pid).not.toBe(before);
    await until('it answers after the restart', answers);
  });
});
