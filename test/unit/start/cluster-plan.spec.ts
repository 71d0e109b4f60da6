import { SERVICE_NAMES } from '../../../lib/config';
import { clusterTable, planCluster, stopOrder } from '../../../start/cluster-plan';
import { parseListen } from '../../../start/listen';

const plan = (size: { executors: number; gateways: number; port: number }) =>
  planCluster(size, { TRANSPORTER: 'nats://bus', MONGO_URL: 'mongodb://store', MASTER_KEY: 'key' });

describe('the plan of a local cluster', () => {
  it('has the requested number of processes per role, with a name, and a port for each gateway', () => {
    const planned = plan({ executors: 2, gateways: 2, port: 4000 });
    expect(planned.map(({ name, url }) => [name, url])).toEqual([
      ['executor-1', null],
      ['executor-2', null],
      ['gateway-1', 'http://localhost:4000'],
      ['gateway-2', 'http://localhost:4001'],
    ]);
    expect(planned.map(({ env }) => env.NODE_ID)).toEqual(planned.map(({ name }) => name));
    expect(planned.map(({ env }) => env.PORT)).toEqual([undefined, undefined, '4000', '4001']);
  });

  it('gives every process the same bus, store and keys', () => {
    for (const { env } of plan({ executors: 2, gateways: 1, port: 1 }))
      expect(env).toMatchObject({ TRANSPORTER: 'nats://bus', MONGO_URL: 'mongodb://store', MASTER_KEY: 'key' });
  });

  it('leaves no service out', () => {
    const services = plan({ executors: 1, gateways: 1, port: 1 }).map(({ env }) => env.SERVICES);
    expect(services.join(',').split(',').sort()).toEqual([...SERVICE_NAMES].sort());
  });
});

describe('the order in which a local cluster stops', () => {
  it('is gateways, executors, the store, the bus, for any order of their starts', () => {
    expect(stopOrder(['nats', 'store', 'executor-1', 'executor-2', 'gateway-1'])).toEqual([
      ['gateway-1'],
      ['executor-1', 'executor-2'],
      ['store'],
      ['nats'],
    ]);
  });

  it('skips missing processes', () => {
    expect(stopOrder(['executor-1'])).toEqual([['executor-1']]);
  });
});

it('the table of a local cluster names each process and what to try', () => {
  const processes = [
    { name: 'nats', pid: 11, url: null },
    { name: 'executor-1', pid: 22, url: null },
    { name: 'gateway-1', pid: 33, url: 'http://localhost:4000' },
  ];
  const table = clusterTable(processes, 'data/cluster.env');
  expect(table).toContain('. data/cluster.env');
  expect(table).toMatch(/^ {2}executor-1 +22/m);
  expect(table).toMatch(/^ {2}gateway-1 +33 +http:\/\/localhost:4000$/m);
  expect(table).toContain('kill -9 22');
  expect(table).toContain('curl -s http://localhost:4000/api/v1/system/workers');
});

describe('an address to listen on', () => {
  it.each([
    ['127.0.0.1:27017', '127.0.0.1', 27_017],
    ['localhost:0', 'localhost', 0],
    ['[::1]:65535', '::1', 65_535],
  ])('%s is understood', (text, host, port) => expect(parseListen(text)).toEqual({ host, port }));

  it.each(['27017', '127.0.0.1', '127.0.0.1:', ':27017', '::1:27017', '127.0.0.1:65536', '127.0.0.1:x'])(
    '%s is refused with an example',
    (text) => expect(() => parseListen(text)).toThrow('127.0.0.1:27017'),
  );
});
