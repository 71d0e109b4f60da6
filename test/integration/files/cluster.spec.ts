import { randomBytes, randomUUID } from 'node:crypto';
import { PART_BYTES } from '../../../contracts/files';
import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { authService } from '../../../services/auth/auth.service';
import { runServices } from '../../support/run-services';
import { filesService } from '../../../services/files/files.service';
import { secretsService } from '../../../services/secrets/secrets.service';
import { workflowsService } from '../../../services/workflows/workflows.service';
import { registerTenant } from '../../support/accounts';
import { describeWith } from '../../support/daemons';
import { type House, knows, openHouse } from '../bus/test-cluster';

describeWith('nats', { own: true })('over NATS', () => {
  let house: House;
  beforeAll(async () => {
    house = await openHouse();
  });
  afterAll(() => house.close());

  test('a file is brought by one process, kept by others, and downloaded from a third', async () => {
    const front = await house.join('front', [
      apiGatewayService,
      authService,
      secretsService,
      workflowsService,
      (app) => runServices(app).executions(),
    ]);
    for (const node of ['one', 'two']) await house.join(node, [filesService]);
    await knows(front, 'files.put_part', 2);
    const { tenant, token } = await registerTenant(front);
    const who = { tenant_id: tenant.id, role: 'service' as const };
    const content = randomBytes(3 * PART_BYTES + 5);
    const blob_id = randomUUID();
    const execution_id = randomUUID();
    const place = { execution_id, workflow_id: 'any', path: 'a.bin', content_type: 'application/octet-stream' };
    await front.call('files.begin', { blob_id, ...place, size: content.length }, who);
    for (let n = 0; n < 4; n++) {
      const data = content.subarray(n * PART_BYTES, (n + 1) * PART_BYTES).toString('base64');
      await front.call('files.put_part', { blob_id, n, data }, who);
    }
    await front.call('files.commit', { blob_id }, who);
    const response = await fetch(`${front.url}/api/v1/workspaces/runs/${execution_id}/files/a.bin`, {
      headers: { authorization: `Bearer ${token}`, range: `bytes=${PART_BYTES - 1}-` },
    });
    expect(response.status).toBe(206);
    expect(Buffer.from(await response.arrayBuffer()).equals(content.subarray(PART_BYTES - 1))).toBe(true);
    const shared = await front.call('files.share', { execution_id, path: 'a.bin', until: null }, who);
    const whole = await fetch(front.url + new URL(shared.url).pathname);
    expect(Buffer.from(await whole.arrayBuffer()).equals(content)).toBe(true);
    // Larger messages go by the database, which every part would then pass twice more.
    expect(Math.ceil(PART_BYTES / 3) * 4).toBeLessThan(0.9 * 1_048_576);
  }, 60_000);
});
