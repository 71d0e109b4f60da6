import { TenantEvents } from '../../../mixins/tenant-events';
import { ManualClock } from '../../support/manual-clock';

const opened = () => {
  const clock = new ManualClock();
  const events = new TenantEvents(clock);
  const sent: { event: string; group: string | undefined }[] = [];
  const context = {
    broadcast: (_name: string, data: object, groups?: readonly string[]) =>
      void sent.push({ event: (data as { event: string }).event, group: groups?.[0] }),
  };
  return { clock, events, sent, context };
};

it('sends nothing for a tenant without subscribers', () => {
  const { events, sent, context } = opened();
  events.event.handle({ tenant_ids: ['other'], node: 'n1' });
  events.publish(context, 't1', { event: 'workflow.changed', workflow_id: 'w' });
  expect(sent).toEqual([]);
});

it('drops what exceeds a hundred events in a second, and says so once', () => {
  const { clock, events, sent, context } = opened();
  events.event.handle({ tenant_ids: ['t1'], node: 'n1' });
  const many = (): void => {
    for (let n = 0; n < 150; n += 1) events.publish(context, 't1', { event: 'run.ended', execution_id: `r${n}` });
  };
  many();
  expect(sent).toHaveLength(101);
  expect(sent.filter(({ event }) => event === 'missed')).toEqual([{ event: 'missed', group: 'watch@n1' }]);
  clock.advance(1_000);
  many();
  expect(sent).toHaveLength(202);
});
