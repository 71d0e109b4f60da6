import { apiGatewayService } from '../../../services/api-gateway/api-gateway.service';
import { auditService } from '../../../services/audit/audit.service';
import { authService } from '../../../services/auth/auth.service';
import { connectionsService } from '../../../services/connections/connections.service';
import { openTestDatabase, startApp, type TestApp, type TestDatabase } from '../../support/app';
import { type AppHouse, connectWithApp, registerApp, startAppHouse } from '../../support/connections/apps';
import { newOwner } from '../../support/connections/house';
import { askedOn, tokenIn } from '../../support/connections/nodes';
import { LeapingClock } from '../../support/leaping-clock';

const HOUR = 3_600_000;
const CALLERS = 30;

let database: TestDatabase;
let house: AppHouse;
let other: TestApp;
const clock = new LeapingClock();

beforeAll(async () => {
  database = await openTestDatabase();
  const shared = { database, clock, transporter: 'Fake', namespace: database.name };
  house = await startAppHouse({
    services: [apiGatewayService, authService, auditService, connectionsService],
    ...shared,
  });
  other = await startApp({ services: [connectionsService], ...shared, env: { EGRESS_ALLOW: '127.0.0.1' } });
}, 60_000);
afterAll(async () => {
  await other.close();
  await house.close();
  await database.close();
});

test('two hosts that need a new token at once use each refresh token once, turn after turn', async () => {
  const owner = await newOwner(house.t);
  const app = await registerApp(owner, house);
  const { id } = await connectWithApp(house, owner, app.id);
  const asked = await house.provider.refreshes();
  const seen = new Set<string>();
  for (let turn = 0; turn < 5; turn += 1) {
    clock.leap(HOUR + 1_000);
    const tokens = await Promise.all(
      Array.from({ length: CALLERS }, async (_, n) =>
        tokenIn(await askedOn(n % 2 === 0 ? house.t : other, owner.tenant.id, id, { connectors: ['oauth'] })),
      ),
    );
    expect(new Set(tokens).size).toBe(1);
    seen.add(tokens[0] as string);
  }
  expect(seen.size).toBe(5);
  expect(await house.provider.refreshes()).toEqual({ taken: asked.taken + 5, refused: asked.refused });
});
