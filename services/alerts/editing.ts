import type { AlertParams, AlertScope, ScopeParams } from '../../contracts/alerts';
import type { Call } from '../../contracts/catalogue';
import type { ErrorDetail } from '../../contracts/shared';
import { parseDuration } from '../../lib/duration';
import { AppError, summaryOf } from '../../lib/errors';
import { randomId } from '../../lib/ids';
import { type Channel, type ChannelVault, freshSecrets, readChannels } from './channels';
import type { RuleFields } from './rule-store';
import { readCondition } from './rules/condition';
import { actionOf } from './sending';

const DEFAULT_QUIET = '30m';
const MIN_QUIET_MS = 60_000;
const MAX_QUIET_MS = 7 * 86_400_000;
const ROLES: ReadonlySet<string> = new Set(['owners', 'admins']);

interface Edited {
  readonly fields: RuleFields;
  /** Ids of webhooks that got a secret. */
  readonly fresh: ReadonlySet<string>;
}

interface Editing {
  readonly call: Call;
  readonly vault: ChannelVault;
  readonly tenantId: string;
  readonly ruleId: string;
  /** The channels of the rule that is changed. */
  readonly before: readonly Channel[];
}

/** What a request says of a rule, checked. @throws AppError invalid_request naming every fault */
export async function readRule(editing: Editing, params: AlertParams): Promise<Edited> {
  const { call, vault, tenantId, ruleId, before } = editing;
  const faults: ErrorDetail[] = [];
  const condition = readCondition(params.condition, faults);
  const scope = readScope(params.scope, condition.kind === 'budget', faults);
  const quietMs = parseDuration(params.quiet_period ?? DEFAULT_QUIET) ?? 0;
  if (quietMs < MIN_QUIET_MS || quietMs > MAX_QUIET_MS)
    faults.push({ path: 'quiet_period', message: 'must be a duration from 1m to 7d' });
  const channels = readChannels(params.channels, before, faults);
  if (faults.length === 0) faults.push(...(await unknownWorkflows(call, tenantId, scope)));
  for (const [index, channel] of channels.entries())
    if (faults.length === 0) faults.push(...(await channelFaults(call, tenantId, channel, `channels[${index}]`)));
  if (faults.length > 0) throw new AppError('invalid_request', summaryOf(faults), { details: faults });
  return {
    fields: {
      name: params.name,
      enabled: params.enabled ?? true,
      scope: JSON.stringify(scope),
      condition: JSON.stringify(condition),
      quiet_ms: quietMs,
      ...vault.seal(tenantId, ruleId, channels),
    },
    fresh: freshSecrets(channels, params.channels, before),
  };
}

function readScope(given: ScopeParams | undefined, isBudget: boolean, faults: ErrorDetail[]): AlertScope {
  if (given === undefined || given.kind === 'tenant') return { kind: 'tenant' };
  if (isBudget) faults.push({ path: 'scope', message: 'must be of the tenant for a budget' });
  const { workflow_ids: ids } = given;
  if (ids === undefined) faults.push({ path: 'scope.workflow_ids', message: 'must name workflows' });
  return { kind: 'workflows', workflow_ids: [...new Set(ids)] };
}

async function unknownWorkflows(call: Call, tenantId: string, scope: AlertScope): Promise<ErrorDetail[]> {
  if (scope.kind === 'tenant') return [];
  const { data } = await call('workflows.names', { ids: scope.workflow_ids }, { asServiceOf: tenantId });
  const known = new Set(data.map(({ id }) => id));
  return scope.workflow_ids.flatMap((id, index) =>
    known.has(id) ? [] : [{ path: `scope.workflow_ids[${index}]`, message: 'there is no such workflow' }],
  );
}

async function channelFaults(call: Call, tenantId: string, channel: Channel, path: string): Promise<ErrorDetail[]> {
  const asService = { asServiceOf: tenantId };
  switch (channel.kind) {
    case 'webhook':
      return [];
    case 'mail': {
      const named = channel.to.filter((each) => !ROLES.has(each));
      if (named.length === 0) return [];
      const { data } = await call('auth.mailboxes', { to: named }, asService);
      const known = new Set(data.map((each) => each.toLowerCase()));
      return channel.to.flatMap((each, index) =>
        ROLES.has(each) || known.has(each)
          ? []
          : [
              {
                path: `${path}.to[${index}]`,
                message: 'must be the confirmed address of a member, "owners" or "admins"',
              },
            ],
      );
    }
    case 'connector': {
      const asked = { execution_id: randomId(), ...actionOf(channel), check: true };
      const { faults } = await call('workflows.act', asked, asService);
      return faults.map((fault) => ({ path: `${path}.${fault.path}`, message: fault.message }));
    }
  }
}
