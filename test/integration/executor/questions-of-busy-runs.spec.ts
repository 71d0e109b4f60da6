import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from '../../../lib/json';
import { until } from '../../support/until';
import { type House, openHouse } from './house';

/** Answers no request before the test does. */
const slow = createServer((_request, response) => void open.push(response));
const open: ServerResponse[] = [];
let house: House;
let url: string;

beforeAll(async () => {
  slow.listen(0, '127.0.0.1');
  await once(slow, 'listening');
  url = `http://127.0.0.1:${(slow.address() as AddressInfo).port}/`;
  house = await openHouse({ env: { EGRESS_ALLOW: '127.0.0.1' } });
});
afterAll(async () => {
  await house?.close();
  slow.closeAllConnections();
  slow.close();
});

const inbox = async (id: string) => {
  const { data } = await house.t.call('executions.approvals', { kind: 'approval' }, house.ann);
  return data.filter(({ execution_id }) => execution_id === id);
};

it('are shown and can be answered while another branch is at work, and are gone when they are answered', async () => {
  const branch = (id: string, ...steps: Json[]) => ({ id, steps });
  const workflow = await house.workflow([
    {
      id: 'both',
      type: 'parallel',
      branches: [
        branch('asks', { id: 'ok', type: 'approval', config: { message: 'Go?', approvers: ['{{ trigger.who }}'] } }),
        branch('works', { id: 'slow', type: 'http_request', config: { url } }),
      ],
    },
  ]);
  const id = await house.start(workflow, { who: house.ann.email ?? '' });
  const [shown] = await until('the question is in the inbox', async () => {
    const found = await inbox(id);
    return found.length > 0 ? found : null;
  });
  expect(shown).toMatchObject({ step_id: 'ok', message: 'Go?' });
  expect((await house.get(id)).waiting).toMatchObject([{ step_id: 'ok', kind: 'approval' }]);
  await until('the other branch is at work', () => open.length === 1);

  await house.t.call('executions.signal', { id, signal: 'approve-ok', data: { approved: true } }, house.ann);
  await until('the question is gone', async () => (await inbox(id)).length === 0);
  await until('the run waits for nothing', async () => (await house.get(id)).waiting.length === 0);
  expect((await house.get(id)).status).toBe('running');
  open[0]?.end('{}');
  expect(await house.ended(id)).toMatchObject({ status: 'completed' });
});
