import { useQuery } from '@tanstack/react-query';
import type { OAuthAppView, OAuthPresetView } from '../../api/client';
import { providerOf } from '../../model/connections';
import { Badge, Button, Card, type Column, EmptyState, Loaded, RowButton, SkeletonRows, Table } from '../../ui';
import { KeyIcon } from '../../ui/icon';
import { appsQuery, presetsQuery } from './queries';

interface AppListProps {
  readonly selected: string | undefined;
  readonly onOpen: (id: string) => void;
  readonly onRegister: () => void;
}

/** OAuth apps of the workspace and of the operator. */
export function AppList({ selected, onOpen, onRegister }: AppListProps) {
  const apps = useQuery(appsQuery);
  const presets = useQuery(presetsQuery);
  return (
    <Card flush>
      <Loaded query={apps} skeleton={<SkeletonRows rows={4} label="Loading OAuth apps" />}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState
              icon={KeyIcon}
              title="No OAuth apps"
              actions={<Button onClick={onRegister}>Choose a provider</Button>}
            >
              An app is your client at a provider. An admin registers it once; then members connect accounts with it.
            </EmptyState>
          ) : (
            <Table
              label="OAuth apps"
              columns={columnsWith(onOpen, presets.data ?? [])}
              rows={rows}
              rowKey={({ id }) => id}
              selected={selected ?? null}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

const columnsWith = (
  onOpen: (id: string) => void,
  presets: readonly OAuthPresetView[],
): readonly Column<OAuthAppView>[] => [
  {
    key: 'name',
    title: 'Name',
    width: 'minmax(120px, 1.4fr)',
    cell: ({ id, name }) => <RowButton onClick={() => onOpen(id)}>{name}</RowButton>,
  },
  {
    key: 'provider',
    title: 'Provider',
    width: 'minmax(96px, 1.2fr)',
    cell: (app) => <span className="cell-muted">{providerOf(app, presets)}</span>,
  },
  {
    key: 'connector',
    title: 'For',
    width: 'minmax(80px, 0.8fr)',
    wideOnly: true,
    cell: ({ connector }) => <code>{connector === 'oauth' ? 'http_request' : connector}</code>,
  },
  {
    key: 'secret',
    title: 'Secret',
    width: '92px',
    wideOnly: true,
    cell: ({ client_secret_set: set }) => <span className="cell-muted">{set ? 'Set' : 'Public client'}</span>,
  },
  {
    key: 'source',
    title: 'From',
    width: '100px',
    align: 'end',
    wideOnly: true,
    cell: ({ source }) => <Badge>{source === 'operator' ? 'Operator' : 'Workspace'}</Badge>,
  },
];
