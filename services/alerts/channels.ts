import type { AlertChannel, ChannelParams } from '../../contracts/alerts';
import type { ErrorDetail } from '../../contracts/shared';
import { randomId } from '../../lib/ids';
import type { Keyring, Sealed, SealPurpose, StoredSeal } from '../../lib/keyring';
import { isWebhookUrl, maskedUrl, newWebhookSecret } from '../../lib/standard-webhook';
import { type AnySealedCollection, sealedCollection } from '../../mixins/key-rotation';
import type { JsonObject } from '../../lib/json';
import type { AlertModels, RuleRecord } from './models';

/** A channel with its secrets. */
export type Channel =
  | { readonly id: string; readonly kind: 'mail'; readonly to: readonly string[] }
  | { readonly id: string; readonly kind: 'webhook'; readonly url: string; readonly secret: string }
  | {
      readonly id: string;
      readonly kind: 'connector';
      readonly action: string;
      readonly connection: string | null;
      readonly input: JsonObject;
      readonly textField: string;
    };

type Webhook = Extract<Channel, { kind: 'webhook' }>;

const MAX_INPUT_CHARS = 10_000;

/** Encrypts the channels of rules with a key per tenant; tenant and rule are authenticated data. */
export class ChannelVault {
  constructor(private readonly keyring: Keyring) {}

  seal(tenantId: string, ruleId: string, channels: readonly Channel[]): Sealed {
    return this.keyring.seal(purposeOf(tenantId, ruleId), JSON.stringify(channels));
  }

  /** @throws AppError sealed_unreadable */
  open(rule: Pick<RuleRecord, '_id' | 'tenant_id'> & StoredSeal): Channel[] {
    return JSON.parse(String(this.keyring.open(purposeOf(rule.tenant_id, rule._id), rule))) as Channel[];
  }
}

const purposeOf = (tenantId: string, ruleId: string): SealPurpose => ({
  purpose: 'everstep alert channels',
  salt: tenantId,
  context: [tenantId, ruleId],
  what: `channels of alert ${ruleId}`,
});

/** Encrypts channels again when the master key is rotated. */
export const sealedChannels = ({ rules }: Pick<AlertModels, 'rules'>, vault: ChannelVault): AnySealedCollection =>
  sealedCollection<RuleRecord>({
    model: rules,
    keyPath: 'key_id',
    fields: ['sealed', 'key_id'],
    reseal: (rule) => vault.seal(rule.tenant_id, rule._id, vault.open(rule)),
  });

type Fault = (member: string, message: string) => null;

/** The channels of a request; what one of `before` with the same id has stays where it is left out. Adds to `faults`. */
export function readChannels(
  given: readonly ChannelParams[],
  before: readonly Channel[],
  faults: ErrorDetail[],
): Channel[] {
  const ids = new Set<string>();
  return given.flatMap((params, index) => {
    const known = before.find(({ id, kind }) => id === params.id && kind === params.kind && !ids.has(id)) ?? null;
    const id = known?.id ?? randomId().slice(0, 8);
    ids.add(id);
    const fault: Fault = (member, message) => {
      faults.push({ path: `channels[${index}].${member}`, message });
      return null;
    };
    return readChannel(params, id, known, fault) ?? [];
  });
}

function readChannel(params: ChannelParams, id: string, known: Channel | null, fault: Fault): Channel | null {
  switch (params.kind) {
    case 'mail':
      if (params.to === undefined) return fault('to', 'must name members, "owners" or "admins"');
      return { id, kind: 'mail', to: [...new Set(params.to.map((each) => each.trim().toLowerCase()))] };
    case 'webhook':
      return readWebhook(params, id, known?.kind === 'webhook' ? known : null, fault);
    case 'connector': {
      const { action, connection = null, input = {}, text_field: textField = 'text' } = params;
      if (action === undefined || !action.includes('.'))
        return fault('action', 'must be the type of a step, such as chat.post_message');
      if (JSON.stringify(input).length > MAX_INPUT_CHARS)
        return fault('input', `must be at most ${MAX_INPUT_CHARS} characters`);
      return { id, kind: 'connector', action, connection, input, textField };
    }
  }
}

function readWebhook(params: ChannelParams, id: string, known: Webhook | null, fault: Fault): Channel | null {
  // Sent back as it was shown, or left out.
  const isSame = known !== null && [undefined, maskedUrl(known.url)].includes(params.url);
  const url = isSame ? known.url : params.url;
  if (url === undefined || !isWebhookUrl(url)) return fault('url', 'must be an http or https URL');
  return { id, kind: 'webhook', url, secret: params.secret ?? known?.secret ?? newWebhookSecret() };
}

/** As users see it. `fresh`: ids of webhooks whose secret was made in this request. */
export function channelView(channel: Channel, fresh: ReadonlySet<string> = new Set()): AlertChannel {
  switch (channel.kind) {
    case 'mail':
      return { id: channel.id, kind: 'mail', to: [...channel.to] };
    case 'webhook': {
      const { id, url, secret } = channel;
      return { id, kind: 'webhook', url: maskedUrl(url), secret: fresh.has(id) ? secret : null };
    }
    case 'connector': {
      const { id, action, connection, input, textField } = channel;
      return { id, kind: 'connector', action, connection, input, text_field: textField };
    }
  }
}

/** Ids of the webhooks whose secret is neither given nor of before. */
export const freshSecrets = (
  channels: readonly Channel[],
  given: readonly ChannelParams[],
  before: readonly Channel[],
) =>
  new Set(
    channels.flatMap((channel, index) =>
      channel.kind === 'webhook' &&
      typeof given[index]?.secret !== 'string' &&
      !before.some(({ id }) => id === channel.id)
        ? [channel.id]
        : [],
    ),
  );
