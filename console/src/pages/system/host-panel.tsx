import { useQuery } from '@tanstack/react-query';
import type { HostView } from '../../api/client';
import { formatBytes, formatCount } from '../../model/format';
import { hostLook, roleOf } from '../../model/system';
import { Badge, EmptyState, KeyValues, Loaded, Meter, RelativeTime, SidePanel, Skeleton } from '../../ui';
import { SearchIcon } from '../../ui/icon';
import { hostsQuery } from './queries';
import styles from './system.module.css';

/** A process, with all that it says of itself. */
export function HostPanel({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const hosts = useQuery(hostsQuery);
  return (
    <SidePanel title={id} onClose={onClose}>
      <Loaded query={hosts} skeleton={<Skeleton height={160} />}>
        {({ hosts: rows }) => {
          const host = rows.find(({ node_id: each }) => each === id);
          return host === undefined ? (
            <EmptyState icon={SearchIcon} title="No such process">
              It is gone, and its record was removed.
            </EmptyState>
          ) : (
            <Details host={host} />
          );
        }}
      </Loaded>
    </SidePanel>
  );
}

const time = (at: string | null) => at && <RelativeTime at={at} />;

function Details({ host }: { readonly host: HostView }) {
  const { tone, label } = hostLook(host);
  const { executor, memory_bytes: memory, heap_bytes: heap, cpu_percent: cpu, event_loop_delay_ms: delay } = host;
  return (
    <div className={styles.stack}>
      <KeyValues
        rows={[
          [
            'State',
            <Badge key="state" tone={tone}>
              {label}
            </Badge>,
          ],
          ['Role', roleOf(host.services)],
          ['Version', host.version],
          ['Node.js', host.node_version],
          ['Host name', host.host_name],
          ['Started', time(host.started_at)],
          ['Last heartbeat', time(host.last_heartbeat_at)],
          ['CPU', cpu === null ? null : `${cpu} %`],
          ['Memory', memory === null ? null : formatBytes(memory)],
          ['Heap', heap === null ? null : formatBytes(heap)],
          ['Loop delay', delay === null ? null : `${delay} ms`],
        ]}
      />
      {executor !== null && (
        <section className={styles.stack} aria-label="Executor">
          <h3>Executor</h3>
          <Meter label="Runs in memory" value={executor.running + executor.waiting} max={executor.capacity} />
          <KeyValues
            rows={[
              ['State', executor.state],
              ['Running', formatCount(executor.running)],
              ['Waiting', formatCount(executor.waiting)],
              ['Claim lag', `${executor.lag_ms} ms`],
              ['Lease until', <RelativeTime key="lease-until" at={executor.lease_until} />],
            ]}
          />
        </section>
      )}
      <section className={styles.stack} aria-label="Services">
        <h3>Services</h3>
        <p className="cell-muted">{host.services.join(', ')}</p>
      </section>
    </div>
  );
}
