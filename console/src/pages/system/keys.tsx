import { useQuery } from '@tanstack/react-query';
import type { KeysView, SealedCollectionView } from '../../api/client';
import { formatCount, formatPercent } from '../../model/format';
import { rotationShare } from '../../model/system';
import {
  Card,
  type Column,
  EmptyState,
  KeyValues,
  Loaded,
  Meter,
  Notice,
  RelativeTime,
  ShortTable,
  Skeleton,
  Status,
} from '../../ui';
import { KeyIcon } from '../../ui/icon';
import { keysQuery } from './queries';
import styles from './system.module.css';

const STATES = {
  done: { status: 'completed', label: 'Done' },
  rotating: { status: 'running', label: 'Rotating' },
  waiting: { status: 'waiting', label: 'Waiting' },
} as const;

const COLUMNS: readonly Column<SealedCollectionView>[] = [
  { key: 'name', title: 'Collection', width: 'minmax(120px, 1fr)', cell: ({ name }) => name },
  {
    key: 'state',
    title: 'State',
    width: '104px',
    iconWhenSmall: true,
    cell: ({ state }) => <Status {...STATES[state]} />,
  },
  { key: 'left', title: 'Left', width: '64px', align: 'end', cell: ({ left }) => formatCount(left) },
  {
    key: 'resealed',
    title: 'Encrypted anew',
    width: '120px',
    align: 'end',
    wideOnly: true,
    cell: ({ resealed }) => formatCount(resealed),
  },
  {
    key: 'unreadable',
    title: 'Unreadable',
    width: '96px',
    align: 'end',
    wideOnly: true,
    cell: ({ unreadable }) => formatCount(unreadable),
  },
  {
    key: 'updated',
    title: 'Looked at',
    width: '96px',
    align: 'end',
    wideOnly: true,
    cell: ({ updated_at: at }) => <RelativeTime at={at} />,
  },
];

/** The keys of the installation, and how far a rotation of the master key is. */
export function Keys() {
  const keys = useQuery(keysQuery);
  return (
    <Loaded query={keys} skeleton={<Skeleton height={240} />}>
      {(view) => (
        <div className={styles.stack}>
          <MasterKey view={view} />
          <Card title="Values by collection" flush>
            {view.master.collections.length === 0 ? (
              <EmptyState icon={KeyIcon} title="Not looked at yet">
                Each service looks at its values once a minute.
              </EmptyState>
            ) : (
              <ShortTable
                label="Values by collection"
                columns={COLUMNS}
                rows={view.master.collections}
                rowKey={({ name }) => name}
              />
            )}
          </Card>
        </div>
      )}
    </Loaded>
  );
}

function MasterKey({ view: { master, token, principal } }: { readonly view: KeysView }) {
  const share = rotationShare(master.collections);
  const unknown = master.previous.filter(({ known }) => !known).length;
  return (
    <Card
      title="Keys"
      description={
        <>
          A rotation begins on the machine: <code className={styles.command}>npm run keys -- rotate</code>, or new
          variables, and then a restart.
        </>
      }
    >
      <div className={styles.stack}>
        {share === null ? (
          <Notice tone="ok">Every value is encrypted under the master key in use.</Notice>
        ) : (
          <Meter
            label="Encrypted under the master key in use"
            value={share}
            max={1}
            format={formatPercent}
            tone="info"
          />
        )}
        <KeyValues
          rows={[
            ['Master key', <code key="master-key">{master.key_id}</code>],
            ['In use since', <RelativeTime key="in-use-since" at={master.since} />],
            ['Former master keys', previousText(master.previous.length, unknown)],
            ['Signs tokens', token.algorithm],
            ['Former token keys', formatCount(token.previous)],
            ['Former principal keys', formatCount(principal.previous)],
          ]}
        />
      </div>
    </Card>
  );
}

const previousText = (all: number, unknown: number): string =>
  unknown === 0
    ? formatCount(all)
    : `${formatCount(all)}, of which ${formatCount(unknown)} cannot be read with any more`;
