import { runServices } from '../../support/run-services';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { secretsService } from '../../../services/secrets/secrets.service';
import { workflowsService } from '../../../services/workflows/workflows.service';
import { describeWith } from '../../support/daemons';
import { until } from '../../support/until';
import { auth, type House, knows, openHouse } from './test-cluster';

describeWith('nats', { own: true })('the health of a gateway whose bus is lost', () => {
  let house: House;
  const executions = (app: Parameters<typeof runServices>[0]) => runServices(app).executions();

  beforeAll(async () => {
    house = await openHouse();
  });
  afterAll(() => house.close());

  const health = async (url: string): Promise<{ status: number; body: unknown }> => {
    const response = await fetch(`${url}/health/ready`);
    return { status: response.status, body: await response.json() };
  };

  test('a process with all it requires is ready and reports optional faults; one without is not ready', async () => {
    const whole = await house.join('whole', [auth, secretsService, workflowsService, executions, apiGatewayService]);
    const bare = await house.join('bare', [apiGatewayService]);
    await knows(bare, 'executions.get');
    expect(await health(whole.url)).toEqual({ status: 200, body: { status: 'ready' } });
    expect(await health(bare.url)).toEqual({ status: 200, body: { status: 'ready' } });
    await house.nats.kill();
    await until('they notice', async () => (await health(bare.url)).status === 503);
    expect((await health(bare.url)).body).toMatchObject({ status: 'unavailable', missing: ['bus'] });
    const degraded = { status: 'ready', degraded: [{ name: 'bus', reason: 'no connection' }] };
    await until(
      'the other notices',
      async () => JSON.stringify((await health(whole.url)).body) === JSON.stringify(degraded),
    );
    await house.nats.restart();
    await until('they are well again', async () => (await health(bare.url)).status === 200);
    await until('both', async () => JSON.stringify((await health(whole.url)).body) === '{"status":"ready"}');
  });
});
