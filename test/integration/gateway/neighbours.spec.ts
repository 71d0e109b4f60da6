import { ServiceBroker } from 'moleculer';
import { neighboursStarted } from '../../../services/api-gateway/neighbours';

const brokerWith = (slow: Promise<void>): ServiceBroker => {
  const broker = new ServiceBroker({ logger: false, skipProcessEventRegistration: true });
  broker.createService({ name: 'quick' });
  broker.createService({ name: 'slow', started: () => slow });
  return broker;
};

test('a gateway begins when the last of its neighbours has started', async () => {
  const order: string[] = [];
  let finish = (): void => {};
  const broker = brokerWith(new Promise<void>((done) => (finish = done)).then(() => void order.push('slow')));
  broker.createService({
    name: 'door',
    async started() {
      await neighboursStarted(broker, 'door', () => false);
      order.push('door');
    },
  });
  const starting = broker.start();
  await broker.waitForServices('quick', 5_000, 5);
  expect(order).toEqual([]);
  finish();
  await starting;
  expect(order).toEqual(['slow', 'door']);
  await broker.stop();
});

test('it waits no longer for a neighbour when it is told to stop', async () => {
  let stopped = false;
  const broker = brokerWith(new Promise<void>(() => undefined));
  void broker.start();
  const waiting = neighboursStarted(broker, 'door', () => stopped);
  stopped = true;
  await expect(waiting).resolves.toBeUndefined();
});
