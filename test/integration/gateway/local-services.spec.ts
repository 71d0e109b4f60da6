import { ServiceBroker } from 'moleculer';
import { localServicesStarted } from '../../../services/api-gateway/local-services';

const brokerWith = (slow: Promise<void>): ServiceBroker => {
  const broker = new ServiceBroker({ logger: false, skipProcessEventRegistration: true });
  broker.createService({ name: 'quick' });
  broker.createService({ name: 'slow', started: () => slow });
  return broker;
};

test('a gateway starts after the last service of its process has started', async () => {
  const order: string[] = [];
  let finish = (): void => {};
  const broker = brokerWith(new Promise<void>((done) => (finish = done)).then(() => void order.push('slow')));
  broker.createService({
    name: 'gateway',
    async started() {
      await localServicesStarted(broker, 'gateway', () => false);
      order.push('gateway');
    },
  });
  const starting = broker.start();
  await broker.waitForServices('quick', 5_000, 5);
  expect(order).toEqual([]);
  finish();
  await starting;
  expect(order).toEqual(['slow', 'gateway']);
  await broker.stop();
});

test('it stops waiting for another service when it is asked to stop', async () => {
  let stopped = false;
  const broker = brokerWith(new Promise<void>(() => undefined));
  void broker.start();
  const waiting = localServicesStarted(broker, 'gateway', () => stopped);
  stopped = true;
  await expect(waiting).resolves.toBeUndefined();
});
