import { connect } from 'node:net';
import { get } from 'node:http';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { openTestDatabase, startApp, type TestApp } from '../../support/app';
import { execution, fakes } from './support/fakes';

const openSocket = (url: string) =>
  new Promise<ReturnType<typeof connect>>((resolve) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1', () => resolve(socket));
    socket.on('error', () => {});
  });

test('a stop takes two seconds at most, with open streams, unused sockets and slow requests', async () => {
  let release = (): void => {};
  const app: TestApp = await startApp({
    services: [
      apiGatewayService,
      ...fakes({
        'executions.public': ({ params }) =>
          params.id === 'slow'
            ? new Promise((resolve) => {
                release = () => resolve(execution());
              })
            : execution(),
        'executions.events': () => ({ events: [], ended: false }),
      }),
    ],
  });
  const ends: string[] = [];
  const fetching = (path: string, note: string) =>
    new Promise<void>((resolve) => {
      const request = get(app.url + path, { agent: false }, (response) => {
        response.resume().on('close', () => ends.push(note));
        resolve();
      });
      request.on('error', () => ends.push(note));
      if (note === 'slow') setTimeout(resolve, 100);
    });
  await Promise.all([fetching('/public/executions/e1/stream', 'stream'), fetching('/public/executions/slow', 'slow')]);
  const unused = await openSocket(app.url);
  const closed = new Promise((resolve) => unused.once('close', resolve));

  const begun = performance.now();
  await app.close();
  expect(performance.now() - begun).toBeLessThan(2_500);
  await closed;
  expect(ends.sort()).toEqual(['slow', 'stream']);
  release();
});

test('a stop with nothing but idle connections is quick', async () => {
  const database = await openTestDatabase();
  const app = await startApp({ services: [apiGatewayService], database });
  for (let i = 0; i < 3; i += 1) await (await fetch(`${app.url}/health`)).text();
  const begun = performance.now();
  await app.close();
  expect(performance.now() - begun).toBeLessThan(1_000);
  await database.close();
});
