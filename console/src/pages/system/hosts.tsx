import { useQuery } from '@tanstack/react-query';
import type { HostView } from '../../api/client';
import { formatBytes } from '../../model/format';
import { hostLook, roleOf, runsText } from '../../model/system';
import { Badge, Card, type Column, Loaded, Notice, RelativeTime, RowButton, ShortTable, SkeletonRows } from '../../ui';
import { hostsQuery } from './queries';

interface HostsProps {
  readonly selected: string | null;
  readonly onOpen: (id: string) => void;
}

/** The processes of the installation. */
export function Hosts({ selected, onOpen }: HostsProps) {
  const hosts = useQuery(hostsQuery);
  const versions = new Set(hosts.data?.hosts.flatMap(({ version }) => version ?? []));
  return (
    <>
      {versions.size > 1 && (
        <Notice tone="info">{`The processes run ${versions.size} versions: ${[...versions].sort().join(', ')}.`}</Notice>
      )}
      <Card flush>
        <Loaded query={hosts} skeleton={<SkeletonRows rows={3} label="Loading hosts" />}>
          {({ hosts: rows }) => (
            <ShortTable
              label="Hosts"
              columns={columnsWith(onOpen)}
              rows={rows}
              rowKey={({ node_id: id }) => id}
              selected={selected}
            />
          )}
        </Loaded>
      </Card>
    </>
  );
}

const columnsWith = (onOpen: (id: string) => void): readonly Column<HostView>[] => [
  {
    key: 'name',
    title: 'Process',
    width: 'minmax(96px, 1.4fr)',
    cell: ({ node_id: id }) => <RowButton onClick={() => onOpen(id)}>{id}</RowButton>,
  },
  {
    key: 'state',
    title: 'State',
    width: '84px',
    cell: (host) => {
      const { tone, label } = hostLook(host);
      return <Badge tone={tone}>{label}</Badge>;
    },
  },
  {
    key: 'role',
    title: 'Role',
    width: 'minmax(96px, 1fr)',
    wideOnly: true,
    cell: ({ services }) => <span className="cell-muted">{roleOf(services)}</span>,
  },
  { key: 'version', title: 'Version', width: '80px', wideOnly: true, cell: ({ version }) => version ?? '' },
  { key: 'runs', title: 'Runs', width: '96px', align: 'end', cell: ({ executor }) => runsText(executor) },
  {
    key: 'delay',
    title: 'Loop delay',
    width: '88px',
    align: 'end',
    wideOnly: true,
    cell: ({ event_loop_delay_ms: ms }) => (ms === null ? '' : `${ms} ms`),
  },
  {
    key: 'memory',
    title: 'Memory',
    width: '88px',
    align: 'end',
    wideOnly: true,
    cell: ({ memory_bytes: bytes }) => (bytes === null ? '' : formatBytes(bytes)),
  },
  {
    key: 'started',
    title: 'Started',
    width: '96px',
    align: 'end',
    wideOnly: true,
    cell: ({ started_at: at }) => at !== null && <RelativeTime at={at} />,
  },
  {
    key: 'heartbeat',
    title: 'Heartbeat',
    width: '96px',
    align: 'end',
    wideOnly: true,
    cell: ({ last_heartbeat_at: at }) => at !== null && <RelativeTime at={at} />,
  },
];
