import { createHmac } from 'node:crypto';
import type { EventData } from '../../../contracts/events';
import type { ExecutionView } from '../../../contracts/executions/views';
import type { Json } from '../../../lib/json';
import { authService } from '../../../services/auth/auth.service';
import { secretsService } from '../../../services/secrets/secrets.service';
import { workflowsService } from '../../../services/workflows/workflows.service';
import { registerTenant } from '../../support/accounts';
import type { ServiceFactory, TestApp } from '../../support/app';
import { describeWith } from '../../support/daemons';
import { ManualClock } from '../../support/manual-clock';
import { executorServices, runServices } from '../../support/run-services';
import { until } from '../../support/until';
import { codeOf } from '../executor/house';
import { type House, knows, openHouse } from './test-cluster';
import { type Integrator, startIntegrator } from './integrator';

const SERVICES = ['auth', 'workflows', 'executions'];

type Change = EventData<'execution.changed'>;

/** Answers for runs, and hosts none. */
const executionsAlone: ServiceFactory = (app) => runServices(app).executions();

/** A tenant with a program of its own on the bus. */
interface Tenant {
  readonly id: string;
  readonly token: string;
  readonly program: Integrator;
}

describeWith('nats', { own: true })('runs of a tenant, for its program on NATS', () => {
  let house: House;
  let near: TestApp;
  let acme: Tenant;
  let beta: Tenant;

  beforeAll(async () => {
    house = await openHouse();
    near = await house.join('near', [authService, secretsService, workflowsService, executionsAlone]);
    await house.join('far', [executorServices]);
    [acme, beta] = [await tenant('acme'), await tenant('beta')];
    await knows(near, 'executor.start');
  });
  afterAll(async () => {
    await Promise.all([acme?.program.stop(), beta?.program.stop()]);
    await house?.close();
  });

  async function tenant(name: string): Promise<Tenant> {
    const { token, tenant: made } = await registerTenant(near);
    const program = await startIntegrator({
      url: house.nats.url,
      namespace: house.namespace,
      nodeId: `${name}.1`,
      token,
      services: SERVICES,
    });
    return { id: made.id, token, program };
  }

  const waiting = [{ id: 'answer', type: 'wait_for_signal', config: { signal: 'go' } }];
  const quick = [{ id: 'n', type: 'set', config: { n: 1 } }];

  async function start({ program }: Tenant, steps: Json[]): Promise<ExecutionView> {
    const dsl = { id: 'flow', trigger: { type: 'manual' }, steps };
    const { id } = await program.call('workflows.create', { name: 'Flow', dsl });
    return program.call('workflows.trigger', { id, trigger: {} });
  }

  const ended = (run: ExecutionView): Promise<unknown> =>
    until('it has ended', async () => (await acme.program.call('executions.get', { id: run.id })).status !== 'running');
  const ownerOf = async ({ id }: ExecutionView): Promise<string> =>
    String((await near.app.db.collection('executions').findOne({ _id: id as never }))?.owner);
  const go = (run: ExecutionView) => acme.program.call('executions.signal', { id: run.id, signal: 'go' });

  describe('executions.wait', () => {
    const answersAt = (node: string): Promise<unknown> =>
      until(`${node} is known`, () =>
        acme.program.broker.registry.getActionEndpoints('executions.wait')?.endpoints.some(({ id }) => id === node),
      );
    const wait = (run: Pick<ExecutionView, 'id'>, timeout_ms?: number, timeout?: number) =>
      acme.program.call(
        'executions.wait',
        { id: run.id, ...(timeout_ms !== undefined && { timeout_ms }) },
        { timeout },
      );

    test('answers at once when the run ended before', async () => {
      const run = await start(acme, quick);
      await ended(run);
      expect(await wait(run, 0)).toMatchObject({ id: run.id, status: 'completed', ended: true, output: { n: 1 } });
    });

    test('answers that it has not ended when the time is over', async () => {
      const run = await start(acme, waiting);
      expect(await wait(run, 50)).toMatchObject({ status: 'running', ended: false });
      expect(await wait(run, 60_000, 700)).toMatchObject({ status: 'running', ended: false });
    });

    test('answers when the run ends, on another node', async () => {
      const run = await start(acme, waiting);
      const both = ['near', 'far'].map((nodeID) =>
        acme.program.broker.call('executions.wait', { id: run.id }, { nodeID, meta: { token: acme.token } }),
      );
      await go(run);
      for (const answer of await Promise.all(both)) expect(answer).toMatchObject({ status: 'completed', ended: true });
    });

    test('is notified of the end without polling', async () => {
      // By this clock, the time of a poll never comes.
      const clock = new ManualClock(Date.now());
      const still = await house.join('still', [executionsAlone], { clock });
      const run = await start(acme, waiting);
      await answersAt('still');
      const answer = acme.program.broker.call(
        'executions.wait',
        { id: run.id },
        { nodeID: 'still', meta: { token: acme.token } },
      );
      const asked = jest.spyOn(still.broker, 'broadcast');
      await until('the hosts are asked', () => asked.mock.calls.some(([name]) => name === 'execution.watch'));
      await go(run);
      expect(await answer).toMatchObject({ status: 'completed', ended: true });
      await still.close();
    });

    test('goes on while the run moves to another host', async () => {
      const leaving = await house.join('leaving', [executorServices]);
      await knows(near, 'executor.start', 2);
      const run = await until('a run is hosted there', async () => {
        // A short pause is spent in memory.
        const started = await start(acme, [{ id: 'pause', type: 'wait', config: { for: '900ms' } }, ...waiting]);
        return (await ownerOf(started)).startsWith('leaving:') ? started : null;
      });
      const answer = wait(run);
      await leaving.close();
      await go(run);
      expect(await answer).toMatchObject({ status: 'completed', ended: true });
    });

    test('is answered before the process that waits stops', async () => {
      const leaving = await house.join('stopping', [executorServices]);
      await answersAt('stopping');
      const run = await start(acme, waiting);
      const options = { nodeID: 'stopping', meta: { token: acme.token } };
      const seen = jest.spyOn(leaving.broker, 'broadcast');
      const answer = acme.program.broker.call('executions.wait', { id: run.id }, options);
      await until('it waits', () => seen.mock.calls.some(([name]) => name === 'execution.watch'));
      await leaving.close();
      expect(await answer).toMatchObject({ status: 'running', ended: false });
    });

    test("does not answer for another tenant's run", async () => {
      const run = await start(beta, quick);
      expect(await codeOf(wait(run))).toBe('not_found');
    });
  });

  describe('executions.subscribe', () => {
    const isSigned = (change: Change, key: string): boolean => {
      const { signature, ...rest } = change;
      return signature === createHmac('sha256', key).update(Object.values(rest).join('\n')).digest('hex');
    };
    const of = ({ program }: Tenant, { id }: ExecutionView): Change[] =>
      program.changes.filter(({ execution_id }) => execution_id === id);
    const last = (to: Tenant, run: ExecutionView) =>
      until('its end is reported', () => of(to, run).find(({ status }) => status !== 'running'));

    test("sends the events of the tenant's own runs, signed, and of no other tenant", async () => {
      const subscriptions = await Promise.all(
        [acme, beta].map((each) => each.program.call('executions.subscribe', {})),
      );
      expect(subscriptions).toMatchObject([
        { tenant_id: acme.id, node: 'acme.1', renew_after_ms: 10_000 },
        { tenant_id: beta.id, node: 'beta.1' },
      ]);
      const runs = [await start(acme, quick), await start(beta, quick)] as const;
      expect(await last(acme, runs[0])).toMatchObject({
        tenant_id: acme.id,
        workflow_id: runs[0].workflow_def_id,
        status: 'completed',
      });
      expect(await last(beta, runs[1])).toMatchObject({ tenant_id: beta.id, status: 'completed' });
      for (const [n, each] of [acme, beta].entries()) {
        const { changes } = each.program;
        expect(changes.filter(({ tenant_id }) => tenant_id !== each.id)).toEqual([]);
        expect(changes.every((change) => isSigned(change, subscriptions[n]?.key as string))).toBe(true);
      }
    });

    test('reports that a run continues, too', async () => {
      await acme.program.call('executions.subscribe', {});
      const run = await start(acme, waiting);
      await until('its wait is reported', () => of(acme, run).some(({ status }) => status === 'running'));
      await go(run);
      expect(await last(acme, run)).toMatchObject({ status: 'completed' });
    });

    test('that another program sent in its name gives events that its key does not sign', async () => {
      const { key } = await beta.program.call('executions.subscribe', {});
      // With the sender of beta, and the token of acme.
      const packet = { ver: '5', sender: 'beta.1', id: 'forged', action: 'executions.subscribe', params: {}, level: 1 };
      await acme.program.broker.transit?.tx.send(
        `MOL-${house.namespace}.REQ.near`,
        Buffer.from(JSON.stringify({ ...packet, meta: { token: acme.token } })),
        {} as never,
      );
      const run = await start(acme, quick);
      const change = await until('it has come', () => of(beta, run)[0]);
      expect(change.tenant_id).toBe(acme.id);
      expect(isSigned(change, key)).toBe(false);
    });

    test('is refused to services and over HTTP, which have no node to send to', async () => {
      expect(await codeOf(near.call('executions.subscribe', {}, { tenant_id: acme.id }))).toBe('forbidden');
    });

    test('is bounded to ten nodes of a tenant', async () => {
      const { token, program } = await tenant('gamma');
      const nodes: string[] = [];
      for (let n = 0; n < 11; n += 1) {
        const packet = {
          ver: '5',
          sender: `gamma.n${n}`,
          id: `q${n}`,
          action: 'executions.subscribe',
          params: {},
          level: 1,
        };
        await program.broker.transit?.tx.send(
          `MOL-${house.namespace}.REQ.near`,
          Buffer.from(JSON.stringify({ ...packet, meta: { token } })),
          {} as never,
        );
        nodes.push(packet.sender);
      }
      await until('all packets have been handled', async () => {
        const code = await program.call('executions.subscribe', {}).then(
          () => null,
          (fault: { type: string }) => fault.type,
        );
        return code === 'rate_limited';
      });
      await program.stop();
    });
  });
});
