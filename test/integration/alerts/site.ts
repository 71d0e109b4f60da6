import type { AlertView, NotificationView } from '../../../contracts/alerts';
import { SERVICE_NAMES } from '../../../lib/config';
import type { Json } from '../../../lib/json';
import { alertsService } from '../../../services/alerts/alerts.service';
import { registerTenant } from '../../support/accounts';
import { openTestDatabase, startApp, type TestApp, type TestDatabase } from '../../support/app';
import { LeapingClock } from '../../support/leaping-clock';
import { type MailServer, startMailServer, tokenIn } from '../../support/mail-server';
import { Api } from '../../support/server';
import { servicesNamed } from '../../support/services';
import { type Answer, type Asked, type SourceServer, startSourceServer } from '../../support/source-server';
import { until } from '../../support/until';

const OTHERS = SERVICE_NAMES.filter((name) => name !== 'alerts');

/** All services, receivers of notices on loopback, and a clock of alerts that the test moves. */
export class AlertSite {
  readonly ann: Api;
  #leapt = 0;

  private constructor(
    readonly database: TestDatabase,
    readonly app: TestApp,
    readonly tenantId: string,
    token: string,
    readonly receiver: SourceServer,
    readonly mails: MailServer,
    readonly clock: LeapingClock,
  ) {
    this.ann = this.as(token);
  }

  static async open({ answer = (_asked: Asked): Answer => ({}) } = {}): Promise<AlertSite> {
    const clock = new LeapingClock();
    const [receiver, mails, database] = await Promise.all([
      startSourceServer(answer),
      startMailServer(),
      openTestDatabase(),
    ]);
    const app = await startApp({
      database,
      services: [servicesNamed(...OTHERS), (each) => alertsService(each, clock)],
      env: {
        EGRESS_ALLOW: new URL(receiver.url).host,
        CONNECTOR_CHAT_URL: receiver.url,
        BASE_URL: 'https://everstep.example',
        ...mails.env,
      },
    });
    const { token, tenant } = await registerTenant(app, { email: 'ann@example.com' });
    const site = new AlertSite(database, app, tenant.id, token, receiver, mails, clock);
    const mail = await mails.next('ann@example.com', 'Confirm your e-mail address');
    await site.ann.call('POST', '/api/v1/auth/verify-email', { token: tokenIn(mail) });
    return site;
  }

  leap(ms: number): void {
    this.#leapt += ms;
    this.clock.leap(ms);
  }

  /** Runs end by the time of the system, which the clock of alerts must not be ahead of when an alert is made. */
  leapBack(): void {
    this.leap(-this.#leapt);
  }

  as(token: string): Api {
    return Object.assign(new Api(this.app.url), { token });
  }

  /** A workflow whose runs fail when their trigger says so. */
  async workflow(name = 'Orders'): Promise<string> {
    const dsl = {
      id: 'flow',
      trigger: { type: 'manual' },
      steps: [{ id: 'check', type: 'fail', if: '{{ trigger.fails }}', config: { message: 'no stock' } }],
    };
    return (await this.ann.call<{ id: string }>('POST', '/api/v1/workflows', { name, dsl })).id;
  }

  /** Runs it once for each letter, one after the other: `f` fails, `s` succeeds. Ids of the runs. */
  async runs(workflow: string, outcomes: string): Promise<string[]> {
    const ids: string[] = [];
    for (const each of outcomes) {
      const path = `/api/v1/workflows/${workflow}/trigger`;
      const { id } = await this.ann.call<{ id: string }>('POST', path, { fails: each === 'f' });
      await until('the run has ended', async () => {
        const { status } = await this.ann.call('GET', `/api/v1/executions/${id}`);
        return status !== 'running';
      });
      ids.push(id);
    }
    return ids;
  }

  alert(more: Record<string, Json> = {}): Promise<AlertView> {
    return this.ann.call('POST', '/api/v1/alerts', {
      name: `Alert ${Math.random()}`,
      condition: { kind: 'failures_in_row', failures: 2 },
      channels: [{ kind: 'webhook', url: `${this.receiver.url}/hook` }],
      ...more,
    });
  }

  /** Waits until the alert has so many notifications with a final status; newest first. */
  notices(id: string, count: number): Promise<NotificationView[]> {
    return until(`alert ${id} has ${count} notices`, async () => {
      const { data } = await this.ann.call<{ data: NotificationView[] }>('GET', `/api/v1/alerts/${id}/notifications`);
      return data.length >= count && data.every(({ status }) => status !== 'pending') ? data : null;
    });
  }

  /** Waits until the alerts have counted these runs. */
  async counted(runs: readonly string[]): Promise<void> {
    const records = this.app.app.db.collection('alert_runs');
    await until('the runs are counted', async () => {
      const found = await records.find({ _id: { $in: runs as never[] }, pending: false }).toArray();
      return found.length === runs.length;
    });
  }

  /** Bodies that webhooks have got. */
  hooks(path = '/hook'): Record<string, Json>[] {
    return this.receiver.asked.filter((asked) => asked.path === path).map(({ body }) => body as Record<string, Json>);
  }

  async close(): Promise<void> {
    await this.app.close();
    await Promise.all([this.receiver.close(), this.mails.close(), this.database.close()]);
  }
}
