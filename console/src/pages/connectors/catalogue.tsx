import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import type { ConnectorView } from '../../api/client';
import { connectionKinds, connectorsMatching } from '../../model/connectors';
import {
  Badge,
  Button,
  Card,
  type Column,
  EmptyState,
  Loaded,
  RowButton,
  SearchInput,
  Select,
  ShortTable,
  SkeletonRows,
  Toolbar,
} from '../../ui';
import { ConnectorIcon } from '../../ui/icon';
import { presetsQuery } from '../connections/queries';
import styles from './connectors.module.css';

interface CatalogueProps {
  readonly query: UseQueryResult<ConnectorView[]>;
  readonly search: string;
  readonly category: string;
  readonly selected: string | null;
  readonly onFilter: (filter: { q?: string | undefined; category?: string | undefined }) => void;
  readonly onOpen: (name: string) => void;
}

/** All connectors, found by their names and by those of their actions. */
export function Catalogue({ query, search, category, selected, onFilter, onOpen }: CatalogueProps) {
  const withApps = new Set(useQuery(presetsQuery).data?.map(({ connector }) => connector));
  const categories = [...new Set(query.data?.map((connector) => connector.category) ?? [])].toSorted();
  return (
    <div className={styles.stack}>
      <Toolbar>
        <SearchInput
          label="Search connectors and actions"
          value={search}
          onChange={({ currentTarget: { value } }) => onFilter({ q: value === '' ? undefined : value })}
        />
        <Select
          aria-label="Category"
          options={[
            { value: '', label: 'All categories' },
            ...categories.map((name) => ({ value: name, label: name })),
          ]}
          value={category}
          onChange={({ currentTarget: { value } }) => onFilter({ category: value === '' ? undefined : value })}
        />
      </Toolbar>
      <Card flush>
        <Loaded query={query} skeleton={<SkeletonRows rows={10} label="Loading connectors" />}>
          {(all) => {
            const rows = connectorsMatching(all, search, category);
            return rows.length === 0 ? (
              <EmptyState
                icon={ConnectorIcon}
                title="No connector matches"
                actions={
                  <Button onClick={() => onFilter({ q: undefined, category: undefined })}>Show all connectors</Button>
                }
              >
                Any HTTP API can be called with the step http_request, or imported from its OpenAPI document.
              </EmptyState>
            ) : (
              <ShortTable
                label="Connectors"
                columns={columnsWith(onOpen, (name) => withApps.has(name))}
                rows={rows}
                rowKey={({ name }) => name}
                selected={selected}
              />
            );
          }}
        </Loaded>
      </Card>
    </div>
  );
}

const columnsWith = (
  onOpen: (name: string) => void,
  hasApp: (name: string) => boolean,
): readonly Column<ConnectorView>[] => [
  {
    key: 'title',
    title: 'Connector',
    width: 'minmax(112px, 1fr)',
    cell: ({ name, title, custom }) => (
      <>
        <RowButton onClick={() => onOpen(name)}>{title}</RowButton> {custom && <Badge>Imported</Badge>}
      </>
    ),
  },
  {
    key: 'description',
    title: 'Description',
    width: 'minmax(80px, 2fr)',
    wideOnly: true,
    cell: ({ description }) => <span className="cell-muted">{description}</span>,
  },
  {
    key: 'category',
    title: 'Category',
    width: 'minmax(96px, 0.7fr)',
    wideOnly: true,
    cell: ({ category }) => category,
  },
  {
    key: 'account',
    title: 'Account',
    width: 'minmax(104px, 0.8fr)',
    cell: ({ name, auth }) => <span className="cell-muted">{connectionKinds(auth, hasApp(name))}</span>,
  },
  { key: 'actions', title: 'Actions', width: '60px', align: 'end', cell: ({ actions }) => actions.length },
];
