import { randomId } from '../../../lib/ids';
import { auditModels, placesOf } from '../../../mixins/audit/model';
import type { Acting } from '../../../mixins/audit';
import { startApp, type TestApp } from '../../support/app';

let app: TestApp;

beforeAll(async () => {
  app = await startApp({ services: [] });
  await auditModels(app.app.db).events.createIndexes();
});
afterAll(() => app?.close());

const somebody = (): Acting => ({
  tenantId: randomId(),
  actor: { type: 'user', id: 'u1', email: 'ann@example.com', ip: '192.0.2.1' },
  requestId: 'r1',
});

const chainOf = ({ tenantId }: Acting) =>
  auditModels(app.app.db)
    .events.find({ _id: placesOf(tenantId) })
    .sort({ _id: 1 })
    .lean()
    .exec();

test('events written side by side form one chain without a gap', async () => {
  const who = somebody();
  const target = { type: 'thing', id: '1' };
  await Promise.all(
    Array.from({ length: 1_000 }, (_, n) => app.app.audit.note(who, { action: 'thing.poke', target, after: { n } })),
  );
  const chain = await chainOf(who);
  expect(chain.map((event) => event.seq)).toEqual(chain.map((_, n) => n + 1));
  expect(chain).toHaveLength(1_000);
  chain.reduce((prev, event) => (expect(event.prev_hash).toBe(prev), event.hash), '');
});
