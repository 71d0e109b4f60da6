import { typed } from '../rules';
import { DELIVERY_OUTCOMES, DELIVERY_SOURCES, type ProviderDelivery, type SeenDelivery } from './views';
import { MESSAGING_CHANNELS } from '../../lib/messaging-config';

export const text = { type: 'string', min: 1, max: 1_000 } as const;

export const providerParams = typed<ProviderDelivery>()({ headers: { type: 'object' }, raw: 'string' });

export const channel = { type: 'enum', values: [...MESSAGING_CHANNELS] } as const;

export const given = { type: 'string', max: 1_000 } as const;

export const seen = typed<SeenDelivery>()({
  type: 'object',
  props: {
    workflow_id: { type: 'string', max: 1_000 },
    source: { type: 'enum', values: [...DELIVERY_SOURCES] },
    received_at: 'string',
    method: 'string',
    status: { type: 'number', nullable: true },
    headers: { type: 'record', key: 'string', value: 'string' },
    query: { type: 'object' },
    raw: 'string',
    size: 'number',
    sha256: { type: 'string', nullable: true },
    outcome: { type: 'enum', values: [...DELIVERY_OUTCOMES] },
    code: { type: 'string', nullable: true },
    reason: { type: 'string', nullable: true },
    execution_ids: { type: 'array', items: 'string' },
    delivery_id: { type: 'string', nullable: true },
    minor: 'boolean',
  },
});

export const MAX_DELIVERIES_PER_CALL = 1_000;

export const once = { scope: text, key: text, owner: { ...text, optional: true } } as const;

export const chatText = { type: 'string', min: 1, max: 100 } as const;
