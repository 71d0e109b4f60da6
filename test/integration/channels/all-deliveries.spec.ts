import type { DeliveryRow } from '../../../contracts/channels/views';
import { Api } from '../../support/server';
import { until } from '../../support/until';
import { openWhole, type Whole } from '../security/support/whole';

let whole: Whole;
let owner: Api;

beforeAll(async () => {
  whole = await openWhole();
  owner = new Api(whole.url);
  await owner.register('other-inbox');
}, 60_000);
afterAll(() => whole?.close());

const ECHO = [{ id: 'echo', type: 'set', config: { it: '{{ trigger.body ?? null }}' } }];

const send = (workflowId: string, body: string): Promise<Response> =>
  fetch(`${whole.url}/webhooks/${workflowId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });

describe('the deliveries of all workflows', () => {
  type Rows = { data: DeliveryRow[]; next_cursor: string | null };
  const all = (query = '', by = owner) => by.call<Rows>('GET', `/api/v1/deliveries${query}`);

  it('are listed newest first with their workflows, by outcome and workflow, in pages', async () => {
    const other = new Api(whole.url);
    await other.register('all-inboxes');
    const make = async (name: string): Promise<string> => {
      const dsl = { id: 'flow', trigger: { type: 'http' }, steps: ECHO };
      return (await other.call<{ id: string }>('POST', '/api/v1/workflows', { name, dsl })).id;
    };
    const [first, second] = [await make('First'), await make('Second')];
    await send(first, '{"n":1}');
    await send(second, '{"n":2}');
    await send(first, '{');
    const { data } = await until('three deliveries are kept', async () => {
      const found = await all('', other);
      return found.data.length === 3 ? found : null;
    });
    expect(
      data.map(({ workflow_name, workflow_id, outcome }) => `${workflow_name} ${workflow_id} ${outcome}`).sort(),
    ).toEqual([`First ${first} refused`, `First ${first} started`, `Second ${second} started`]);
    expect(data.map(({ received_at }) => received_at)).toEqual(
      data
        .map(({ received_at }) => received_at)
        .sort()
        .reverse(),
    );
    expect((await all(`?workflow_id=${second}`, other)).data).toMatchObject([{ workflow_name: 'Second' }]);
    expect((await all('?outcome=refused', other)).data).toMatchObject([{ workflow_name: 'First', status: 400 }]);
    const page = await all('?limit=2', other);
    const rest = await all(`?limit=2&cursor=${page.next_cursor}`, other);
    expect([...page.data, ...rest.data].map(({ id }) => id)).toEqual(data.map(({ id }) => id));
    expect(rest.next_cursor).toBeNull();
    const mine = await all('?limit=200');
    expect(mine.data.some(({ workflow_id }) => workflow_id === first || workflow_id === second)).toBe(false);
  });
});
