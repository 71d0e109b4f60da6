import { actions } from '../contract';
import { id } from '../rules';
import { ExecutionView } from './views';
import * as s from '../../lib/schema';

/** Over HTTP, the stream of events has what these give to programs over NATS. */
export const integratorActions = actions({
  wait: {
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: 'Waits for the end of a run',
    description:
      'Answers when the run has ended, or when the time is up, or before the process that waits stops: with `ended: false` then; call it again. Waits 30 seconds unless `timeout_ms` says otherwise, and never longer than the time-out of the call. A tenant may have 1,000 such calls open in a process.',
    params: {
      id,
      timeout_ms: { type: 'number', integer: true, min: 0, max: 3_600_000, optional: true },
    },
    result: s.named('AwaitedExecution', ExecutionView.extend({ ended: s.boolean }), 'A run, and whether it has ended.'),
    errors: ['not_found', 'rate_limited'],
  },
  subscribe: {
    access: 'viewer',
    repeatable: true,
    integrators: true,
    summary: "Sends the event `execution.changed` of the tenant's runs to the node that calls, for 30 seconds",
    description:
      'Call it again every `renew_after_ms`; events that are sent in a gap are lost. Each event is signed with `key`. A tenant may have 10 nodes subscribed.',
    params: {},
    result: s.object({
      tenant_id: s.text,
      node: s.text.about('The node that the events go to.'),
      key: s.text.about('The key of the HMAC in `signature` of each event, as text.'),
      renew_after_ms: s.number,
    }),
    errors: ['rate_limited'],
  },
});
