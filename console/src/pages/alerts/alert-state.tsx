import type { AlertView } from '../../api/client';
import { isMuted } from '../../model/alerts';
import { Badge, RelativeTime } from '../../ui';

/** Whether an alert holds, since when, and whether it is muted. */
export function AlertState({ alert }: { readonly alert: AlertView }) {
  if (alert.state === 'disabled') return <Badge>Disabled</Badge>;
  if (isMuted(alert, Date.now()))
    return <Badge tone="warn">{alert.state === 'firing' ? 'Firing, muted' : 'Muted'}</Badge>;
  if (alert.firing_since === null) return <Badge tone="ok">OK</Badge>;
  return (
    <span>
      <Badge tone="danger">Firing</Badge>{' '}
      <span className="cell-muted">
        <RelativeTime at={alert.firing_since} />
      </span>
    </span>
  );
}
