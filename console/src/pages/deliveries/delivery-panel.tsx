import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type DeliveryDetail } from '../../api/client';
import { bodyPreview, verdictLook } from '../../model/deliveries';
import { formatBytes, formatInstant } from '../../model/format';
import {
  Badge,
  Button,
  CodeBlock,
  CopyText,
  JsonView,
  KeyValues,
  Loaded,
  Notice,
  SidePanel,
  Tabs,
  toast,
  toastError,
} from '../../ui';
import { RetryIcon } from '../../ui/icon';
import { deliveryQuery } from './queries';

/** One delivery: outcome, body, headers, and another start with it. `address`: `<workflow>/<delivery>`. */
export function DeliveryPanel({ address, onClose }: { readonly address: string; readonly onClose: () => void }) {
  const [workflowId = '', deliveryId = ''] = address.split('/');
  const delivery = useQuery(deliveryQuery(workflowId, deliveryId));
  const look = delivery.data && verdictLook(delivery.data.outcome);
  return (
    <SidePanel title="Delivery" aside={look && <Badge tone={look.tone}>{look.label}</Badge>} onClose={onClose}>
      <Loaded query={delivery}>{(data) => <Details workflowId={workflowId} delivery={data} />}</Loaded>
    </SidePanel>
  );
}

const TABS = [
  { key: 'body', label: 'Body' },
  { key: 'headers', label: 'Headers' },
  { key: 'query', label: 'Query' },
] as const;
type Tab = (typeof TABS)[number]['key'];

const SIGNATURES = {
  failed: 'Failed',
  none: 'None required',
  not_configured: 'The key is not configured',
  verified: 'Verified',
} as const;

function Details({ workflowId, delivery }: { readonly workflowId: string; readonly delivery: DeliveryDetail }) {
  const [tab, setTab] = useState<Tab>('body');
  return (
    <>
      {delivery.reason !== null && (
        <Notice tone={delivery.outcome === 'refused' ? 'danger' : undefined}>{delivery.reason}</Notice>
      )}
      <KeyValues
        rows={[
          ['Received', formatInstant(Date.parse(delivery.received_at), true)],
          ['Request', `${delivery.method}, answered ${delivery.status ?? 'never: the client had left'}`],
          ['Signature or key', SIGNATURES[delivery.signature]],
          ['Delivery id', delivery.delivery_id && <CopyText key="id" text={delivery.delivery_id} />],
          ['Content', `${delivery.content_type ?? 'no type'}, ${formatBytes(delivery.size)}`],
          ['Run', delivery.execution_id && <RunLinks key="runs" ids={delivery.execution_ids} />],
        ]}
      />
      <Redeliver workflowId={workflowId} deliveryId={delivery.id} />
      <div>
        <Tabs label="Parts of the request" tabs={TABS} active={tab} onChange={setTab}>
          {tab === 'body' && <Body delivery={delivery} />}
          {tab === 'headers' && <JsonView value={delivery.headers} label="Headers" />}
          {tab === 'query' && <JsonView value={delivery.query} label="Query" />}
        </Tabs>
      </div>
    </>
  );
}

const MAX_LINKS = 10;

function RunLinks({ ids }: { readonly ids: readonly string[] }) {
  return (
    <>
      {ids.slice(0, MAX_LINKS).map((id, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <Link to="/runs/$id" params={{ id }}>
            {ids.length === 1 ? 'Open the run' : `Run ${index + 1}`}
          </Link>
        </span>
      ))}
      {ids.length > MAX_LINKS && ` and ${ids.length - MAX_LINKS} more`}
    </>
  );
}

function Body({ delivery }: { readonly delivery: DeliveryDetail }) {
  const { text, cut, binary } = bodyPreview(delivery.body, delivery.content_type);
  if (delivery.size === 0) return <p className="cell-muted">The request had no body.</p>;
  if (binary) return <p className="cell-muted">{`${formatBytes(delivery.size)} that are not text.`}</p>;
  return (
    <>
      {(cut || delivery.truncated) && (
        <Notice>{`Only the beginning of ${formatBytes(delivery.size)} is shown.`}</Notice>
      )}
      <CodeBlock text={text} label="Body" wrap />
    </>
  );
}

interface RedeliverProps {
  readonly workflowId: string;
  readonly deliveryId: string;
}

function Redeliver({ workflowId, deliveryId }: RedeliverProps) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const redeliver = async (): Promise<void> => {
    setBusy(true);
    try {
      const started = await api.channels.redeliver({ id: workflowId, delivery_id: deliveryId });
      toast('A new run is started with this request');
      await client.invalidateQueries({ queryKey: ['runs'] });
      await navigate({ to: '/runs/$id', params: { id: started.execution_id } });
    } catch (error) {
      toastError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <div>
      <Button edits icon={RetryIcon} busy={busy} onClick={() => void redeliver()}>
        Deliver again
      </Button>
    </div>
  );
}
