import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { RegistryRow } from '../../api/client';
import { formatCount } from '../../model/format';
import { Card, type Column, EmptyState, Loaded, RowButton, SearchInput, SkeletonRows, Table, Toolbar } from '../../ui';
import { GenerateIcon } from '../../ui/icon';
import { registryQuery } from './queries';
import styles from './skills.module.css';

interface RegistryProps {
  readonly search: string;
  readonly selected: string | null;
  readonly onSearch: (text: string) => void;
  readonly onOpen: (id: string) => void;
}

/** Skills that workspaces of this installation have published. */
export function Registry({ search, selected, onSearch, onOpen }: RegistryProps) {
  const found = useQuery({ ...registryQuery(search), placeholderData: keepPreviousData });
  return (
    <div className={styles.stack}>
      <Toolbar>
        <SearchInput
          label="Search the registry"
          value={search}
          onChange={({ currentTarget: { value } }) => onSearch(value)}
        />
      </Toolbar>
      <Card flush>
        <Loaded query={found} skeleton={<SkeletonRows rows={4} label="Loading the registry" />}>
          {(rows) =>
            rows.length === 0 ? (
              <EmptyState icon={GenerateIcon} title={search === '' ? 'Nothing is published yet' : 'No skill matches'}>
                Admins publish a skill on its page; every workspace of this installation can then install it.
              </EmptyState>
            ) : (
              <Table
                label="Published skills"
                columns={columnsWith(onOpen)}
                rows={rows}
                rowKey={({ id }) => id}
                selected={selected}
              />
            )
          }
        </Loaded>
      </Card>
    </div>
  );
}

const columnsWith = (onOpen: (id: string) => void): readonly Column<RegistryRow>[] => [
  {
    key: 'name',
    title: 'Name',
    width: 'minmax(112px, 1fr)',
    cell: ({ id, name }) => <RowButton onClick={() => onOpen(id)}>{name}</RowButton>,
  },
  {
    key: 'description',
    title: 'Description',
    width: 'minmax(72px, 2fr)',
    wideOnly: true,
    cell: ({ description }) => <span className="cell-muted">{description}</span>,
  },
  { key: 'by', title: 'By', width: 'minmax(80px, 0.7fr)', cell: ({ publisher }) => publisher.name },
  { key: 'version', title: 'Version', width: '64px', align: 'end', cell: ({ version }) => version },
  {
    key: 'installs',
    title: 'Installs',
    width: '64px',
    align: 'end',
    wideOnly: true,
    cell: ({ installs }) => formatCount(installs),
  },
];
