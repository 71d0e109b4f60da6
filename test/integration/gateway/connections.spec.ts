import type { Server } from 'node:http';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { startApp, type TestApp } from '../../support/app';
import { fakes } from './support/fakes';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ services: [apiGatewayService, ...fakes({})] });
});

afterAll(() => app.close());

test('a client that does not read its response does not keep it in memory permanently', () => {
  const { server } = app.broker.getLocalService('api-gateway') as unknown as { server: Server };
  const { requestTimeoutMs } = app.app.config;
  // Longer than any answer may take, and than the 15 s between comments of a stream.
  expect(server.timeout).toBeGreaterThan(Math.max(requestTimeoutMs, 15_000));
  expect(server.timeout).toBeLessThanOrEqual(requestTimeoutMs + 30_000);
});
