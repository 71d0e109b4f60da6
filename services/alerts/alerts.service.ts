import type { ServiceBroker, ServiceSchema } from 'moleculer';
import { alertsContract } from '../../contracts/alerts';
import type { Clock } from '../../lib/clock';
import { createEgress, parseEgressAllow } from '../../lib/egress';
import { AppError } from '../../lib/errors';
import { randomId } from '../../lib/ids';
import { pageOf } from '../../lib/page';
import { auditedBy, recordedBy } from '../../mixins/audit';
import { KeyRotation } from '../../mixins/key-rotation';
import { defineService, type ServiceContext } from '../../mixins/service';
import { GroupCommit } from '../../runtime/mongo/group-commit';
import { type App, appOf } from '../app';
import { ChannelVault, sealedChannels } from './channels';
import { NoticeDelivery } from './delivery';
import { readRule } from './editing';
import { Evaluations } from './evaluations';
import { Evaluator } from './evaluator';
import { notificationPage } from './history';
import { alertModels, createIndexes } from './models';
import { NoticeOutbox } from './outbox';
import type { Rule } from './rule';
import { covers, namesAny } from './rule';
import { RuleStore } from './rule-store';
import { EndedRuns, type Report } from './runs';
import { NoticeSender } from './sending';
import { Turns } from './turns';
import { alertView, notificationView } from './view';
import { WatchStore } from './watch-store';

/** What the keys of caches of watched ends begin with, in `cache.stale`; then the tenant. */
const WATCHED = 'alerts.watched:';
const DAY_MS = 86_400_000;
const MAX_MUTE_MS = 90 * DAY_MS;
/** Tests of one rule are so far apart: each writes to all of its receivers. */
const TEST_PAUSE_MS = 5_000;

/** Rules that notify of failures, delays and costs. `clock` is the clock of rules. */
export const alertsService = (app: App, clock: Clock = app.clock): ServiceSchema => {
  const models = alertModels(app.db);
  const now = (): number => clock.now();
  const vault = new ChannelVault(app.keyring);
  const rotation = new KeyRotation(app, [sealedChannels(models, vault)]);
  const egress = createEgress({ allow: parseEgressAllow(app.config.egressAllow) });
  const turns = new Turns(models);
  const watches = new WatchStore(models);
  const runs = new EndedRuns(models);
  let context: ServiceContext;
  const rules = new RuleStore(models, now, async (tenantId) => {
    await context.invalidate(`${WATCHED}${tenantId}`);
    await turns.nudge(tenantId, now());
    evaluations.wake();
  });
  const sender = new NoticeSender({ ...app, clock }, egress, () => context.call);
  const warn = (message: string): void => context.log.warn(message);
  const delivery = new NoticeDelivery({ models, rules, vault, sender, clock, warn });
  const outbox = new NoticeOutbox({
    app,
    models,
    vault,
    call: (...asked) => context.call(...asked),
    now,
    wake: () => delivery.wake(),
  });
  const evaluator = new Evaluator({ rules, watches, runs, turns, outbox, context: () => context, now });
  const evaluations = new Evaluations({ turns, evaluator, clock, warn });
  const reports = new GroupCommit<Report, void>(async (batch) => {
    await runs.add(batch, now());
    for (const tenantId of new Set(batch.map((each) => each.tenantId))) await turns.nudge(tenantId, now());
    evaluations.wake();
    return batch.map(() => {});
  });

  /** `hidden`: workflows whose incidents are left out. */
  const viewOf = async (
    tenantId: string,
    rule: Rule,
    { hidden, fresh }: { readonly hidden: ReadonlySet<string>; readonly fresh?: ReadonlySet<string> },
  ) => {
    const firing = await watches.firing(tenantId, rule.record._id);
    return alertView(
      rule,
      vault,
      firing.filter((each) => !hidden.has(each.workflow_id ?? '')),
      fresh,
    );
  };

  return defineService(app, alertsContract, {
    handlers: {
      async list({ params: { workflow_id: workflowId, ...asked }, tenantId, folders }) {
        const page = pageOf(asked);
        const hidden = new Set(await folders.withheld());
        // They are few, and which of them cover a workflow is in their texts.
        const found =
          workflowId === undefined && hidden.size === 0
            ? await rules.list(tenantId, page)
            : (await rules.list(tenantId))
                .filter((rule) => workflowId === undefined || (covers(rule, workflowId) && !hidden.has(workflowId)))
                .filter((rule) => !namesAny(rule, hidden))
                .slice(page.offset, page.offset + page.limit);
        return { data: await Promise.all(found.map((rule) => viewOf(tenantId, rule, { hidden }))), ...page };
      },
      get: async ({ params: { id }, tenantId, folders }) =>
        viewOf(tenantId, await rules.get(tenantId, id), { hidden: new Set(await folders.withheld()) }),
      async create(ctx) {
        const { tenantId, params, principal } = ctx;
        const id = randomId();
        const { fields, fresh } = await readRule({ call: ctx.call, vault, tenantId, ruleId: id, before: [] }, params);
        const recorded = recordedBy(app.audit, auditedBy(ctx));
        const rule = await rules.create(tenantId, id, fields, principal?.email ?? null, recorded);
        return alertView(rule, vault, [], fresh);
      },
      async update(ctx) {
        const {
          tenantId,
          params: { id, ...params },
        } = ctx;
        const before = vault.open((await rules.get(tenantId, id)).record);
        const { fields, fresh } = await readRule({ call: ctx.call, vault, tenantId, ruleId: id, before }, params);
        const recorded = recordedBy(app.audit, auditedBy(ctx));
        const rule = await rules.change(tenantId, id, 'alert.update', () => fields, recorded);
        await watches.wake(tenantId, id, now());
        return viewOf(tenantId, rule, { hidden: new Set(await ctx.folders.withheld()), fresh });
      },
      remove: (ctx) => rules.remove(ctx.tenantId, ctx.params.id, recordedBy(app.audit, auditedBy(ctx))),
      async mute(ctx) {
        const {
          tenantId,
          params: { id, until },
        } = ctx;
        const muted_until = until === null ? null : mutedUntil(until, now());
        const recorded = recordedBy(app.audit, auditedBy(ctx));
        const rule = await rules.change(tenantId, id, 'alert.mute', () => ({ muted_until }), recorded);
        await watches.wake(tenantId, id, now());
        await turns.nudge(tenantId, now());
        evaluations.wake();
        return viewOf(tenantId, rule, { hidden: new Set(await ctx.folders.withheld()) });
      },
      async test({ tenantId, params: { id } }) {
        const rule = await rules.get(tenantId, id);
        const {
          data: [last],
        } = await notificationPage(models, tenantId, { ruleId: id, kind: 'test', limit: 1, offset: 0 });
        const waitMs = last === undefined ? 0 : Date.parse(last.created_at) + TEST_PAUSE_MS - now();
        if (waitMs > 0)
          throw new AppError(
            'rate_limited',
            `This alert was tested a moment ago; try again in ${Math.ceil(waitMs / 1_000)} s`,
          );
        return { data: (await outbox.putTest(rule)).map(notificationView) };
      },
      async notifications({ tenantId, params: { id, cursor, kind, ...asked } }) {
        await rules.get(tenantId, id);
        const page = pageOf(asked);
        const { data, next } = await notificationPage(models, tenantId, { ruleId: id, cursor, kind, ...page });
        return { data, ...page, next_cursor: next };
      },
      watched: ({ tenantId }) => rules.watched(tenantId),
      observe: ({ tenantId, params: { run } }) => reports.add({ tenantId, run }),
    },
    async started(given) {
      context = given;
      await createIndexes(models);
      rotation.start(given);
      evaluations.wake();
      delivery.wake();
    },
    async stopped() {
      await Promise.all([rotation.stop(), evaluations.stop(), delivery.stop()]);
      await egress.close();
    },
  });
};

function mutedUntil(text: string, now: number): Date {
  const at = Date.parse(text);
  if (Number.isNaN(at) || at <= now || at > now + MAX_MUTE_MS)
    throw new AppError(
      'invalid_request',
      "The 'until' must be a time to come, within 90 days, such as 2026-12-01T08:00:00Z",
    );
  return new Date(at);
}

export default (broker: ServiceBroker): ServiceSchema => alertsService(appOf(broker));
