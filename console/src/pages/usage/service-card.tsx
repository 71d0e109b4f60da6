import { useQuery } from '@tanstack/react-query';
import { formatPercent } from '../../model/format';
import { Badge, Card, KeyValues, Loaded, Skeleton } from '../../ui';
import { keysQuery, workersQuery } from './queries';

const STATES = {
  healthy: { tone: 'ok', label: 'Healthy', text: 'New runs start at once.' },
  full: { tone: 'warn', label: 'Full', text: 'New runs wait until others end.' },
  unavailable: { tone: 'danger', label: 'Unavailable', text: 'Runs are kept, and start when a host is back.' },
} as const;

/** What admins of a workspace may know of the installation. */
export function ServiceCard() {
  const workers = useQuery(workersQuery);
  const keys = useQuery(keysQuery);
  return (
    <Card
      title="Service"
      description="The installation that runs your workflows. Its hosts and keys are the operator's."
    >
      <Loaded query={workers} skeleton={<Skeleton height={60} />}>
        {(pool) => (
          <KeyValues
            rows={[
              [
                'Executors',
                pool && (
                  <span key="state">
                    <Badge tone={STATES[pool.state].tone}>{STATES[pool.state].label}</Badge> {STATES[pool.state].text}
                  </span>
                ),
              ],
              ['Load', pool && formatPercent(pool.capacity_used)],
              [
                'Encryption',
                keys.data === undefined
                  ? null
                  : keys.data.master.done
                    ? 'Everything is encrypted with the newest key'
                    : 'Values are being encrypted with a new key',
              ],
            ]}
          />
        )}
      </Loaded>
    </Card>
  );
}
