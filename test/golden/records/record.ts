import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { BSON, type Db, MongoClient } from 'mongodb';
import type { Json, JsonObject } from '../../../lib/json';
import { openHouse } from '../../integration/executor/house';
import { openTestDatabase } from '../../support/app';
import { until } from '../../support/until';
import { openProvider, tapePath, taken } from './tape';

/*
 * `npm run record -- NAME` makes the tape of this version: once for each version with a new stored format, right before its
 * release, and never again. Existing tapes are not changed: they have the data that installations have on disk.
 */

/** Collections that are not about runs, or must not be in the repository. */
const LEFT = ['api_keys', 'mail_tokens', 'ended_sessions', 'sign_in_uses', 'leases', 'users', 'hosts', 'parcels'];

const set = (id: string, config: JsonObject): Json => ({ id, type: 'set', config });
const approval = (id: string): Json => ({ id, type: 'approval', config: { message: 'Go on?' } });

async function main(name: string): Promise<void> {
  const database = await openTestDatabase();
  const client = await MongoClient.connect(database.url);
  const db = client.db(database.name) as Db;
  const { provider, house: withProvider } = await openProvider();
  const house = await openHouse({ database, ...withProvider });
  const { ann } = house;
  const begin = async (steps: Json[], rest: JsonObject = {}, trigger: JsonObject = {}): Promise<string> =>
    house.start(await house.workflow(steps, rest), trigger);

  const asks = await begin(
    [
      {
        id: 'each',
        type: 'foreach',
        config: { items: '{{ trigger.items }}' },
        steps: [set('note', { item: '{{ loop.item }}' }), approval('ask')],
      },
      set('sum', { count: '{{ length(steps.each.results) }}' }),
    ],
    {},
    { items: ['a', 'b'] },
  );
  // More than is kept in the run's own document.
  const hears = await begin([
    set('big', { numbers: '{{ range(1000000000000, 1000000010000) }}' }),
    { id: 'paid', type: 'wait_for_signal', config: { signal: 'paid' } },
    set('both', { size: '{{ length(steps.big.numbers) }}', paid: '{{ steps.paid.amount }}' }),
  ]);
  const undoes = await begin([
    { ...(set('book', { room: 7 }) as JsonObject), compensate: [set('free', { room: '{{ steps.book.room }}' })] },
    approval('ask'),
  ]);
  const failed = await begin(
    [
      set('first', { at: '{{ now() }}' }),
      { id: 'fix', type: 'fail', config: { message: 'not yet' }, if: '{{ trigger.fails }}' },
      set('last', { done: true }),
    ],
    {},
    { fails: true },
  );
  const inner = await house.workflow([approval('inside')], {}, 'manual');
  const child = await begin([
    { id: 'sub', type: 'sub_workflow', config: { workflow: inner } },
    set('after', { ok: true }),
  ]);
  await house.ended(failed);
  const pauses = await begin([set('first', { at: '{{ now() }}' }), approval('ask'), set('last', { done: true })]);
  await house.waiting(pauses);
  await house.t.call('executions.pause', { id: pauses }, ann);
  // Starts of runs that have not begun. Their periods are over whenever the tape is played.
  const batch = await house.workflow(
    [set('rows', { rows: '{{ map_field(trigger.events, "row") }}' })],
    { batch: { max_size: 3, period: '5s' } },
    'manual',
  );
  const gathers = await house.start(batch, { row: 1 });
  await house.start(batch, { row: 2 });
  const debounced = await house.workflow(
    [set('row', { row: '{{ trigger.row }}' })],
    { debounce: { period: '5s' } },
    'manual',
  );
  const settles = await house.start(debounced, { row: 1 });
  await house.start(debounced, { row: 2 });
  // One has used the connection; the other waits for its turn, which has come whenever the tape is played.
  await house.t.call(
    'connections.create',
    {
      connector: 'chat',
      name: 'work',
      credentials: { access_token: 'token of a tape' },
      rate: { limit: 1, period_seconds: 5 },
    },
    ann,
  );
  const looks = (): Promise<string> =>
    begin([{ id: 'look', type: 'chat.whoami', config: { connection: 'work' } }, set('after', { ok: true })]);
  const admitted = await looks();
  await house.ended(admitted);
  const queues = await looks();
  for (const run of [asks, hears, undoes, child, queues]) await house.waiting(run);
  const sleeps = await begin([
    set('before', { at: '{{ now() }}' }),
    { id: 'nap', type: 'wait', config: { for: '5s' } },
    set('after', { ok: true }),
  ]);
  await house.waiting(sleeps);
  const loops = await begin([
    {
      id: 'each',
      type: 'foreach',
      config: { items: '{{ range(2000) }}' },
      steps: [set('one', { n: '{{ loop.item }}' })],
    },
    set('sum', { count: '{{ length(steps.each.results) }}' }),
  ]);
  // In the middle of a run, which is owned by a host that will be gone.
  await until(
    'the loop is under way',
    async () => (await db.collection('journal').countDocuments({ _id: { $regex: `^${loops}` } as never })) > 1,
  );
  const collections = await taken(db, LEFT);
  const actor = { tenant_id: ann.tenant_id, user_id: ann.user_id, email: ann.email };
  const runs = { asks, hears, sleeps, loops, undoes, failed, child, pauses, gathers, settles, admitted, queues };
  writeFileSync(tapePath(name), gzipSync(BSON.EJSON.stringify({ actor, runs, collections }, { relaxed: false })), {
    flag: 'wx',
  });
  await house.close();
  await provider.close();
  await client.close();
  await database.close();
}

const [name] = process.argv.slice(2);
if (name === undefined) throw new Error('usage: npm run record -- NAME');
void main(name);
