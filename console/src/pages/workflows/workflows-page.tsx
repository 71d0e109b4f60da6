import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useCallback } from 'react';
import type { WorkflowRow } from '../../api/client';
import { statusLook } from '../../model/status';
import {
  Badge,
  Button,
  Card,
  type Column,
  EmptyState,
  LinkButton,
  Loaded,
  OutcomeBars,
  Page,
  RelativeTime,
  SearchInput,
  Select,
  SkeletonRows,
  Status,
  Table,
  Toolbar,
  WithPanel,
} from '../../ui';
import { PlusIcon, WorkflowIcon } from '../../ui/icon';
import { NEW_ID } from '../editor/route';
import { AccessPanel } from './access-panel';
import { FolderFilter } from './folder-filter';
import { ImportButton } from './import-button';
import { workflowsQuery } from './queries';
import { type WorkflowFilters, type WorkflowSort, workflowsRoute } from './route';
import { WorkflowActions } from './workflow-actions';
import styles from './workflows.module.css';

const SORTS: readonly { readonly value: WorkflowSort; readonly label: string }[] = [
  { value: '-created_at', label: 'Newest first' },
  { value: '-updated_at', label: 'Last changed first' },
  { value: 'name', label: 'By name' },
];
const STATES = [
  { value: '', label: 'Enabled and disabled' },
  { value: 'true', label: 'Enabled' },
  { value: 'false', label: 'Disabled' },
];

const COLUMNS: readonly Column<WorkflowRow>[] = [
  {
    key: 'name',
    title: 'Workflow',
    width: 'minmax(120px, 2fr)',
    cell: (row) => (
      <span className={styles.name}>
        <Link className="row-link" to="/workflows/$id" params={{ id: row.id }}>
          {row.name}
        </Link>
        {row.tags.map((tag) => (
          <Badge key={tag}>{tag}</Badge>
        ))}
      </span>
    ),
  },
  { key: 'status', title: 'Status', width: '116px', iconWhenSmall: true, cell: (row) => <Status {...statusOf(row)} /> },
  {
    key: 'triggers',
    title: 'Triggers',
    width: 'minmax(80px, 0.8fr)',
    wideOnly: true,
    cell: ({ triggers }) => <span className="cell-muted">{triggers.join(', ')}</span>,
  },
  {
    key: 'runs',
    title: 'Last runs',
    width: '88px',
    wideOnly: true,
    cell: ({ recent_runs: runs }) => (
      <OutcomeBars
        label={outcomesText(runs)}
        outcomes={runs.toReversed().map(({ status }) => ({ status, tone: statusLook(status).tone }))}
      />
    ),
  },
  {
    key: 'next',
    title: 'Next start',
    width: '104px',
    align: 'end',
    wideOnly: true,
    cell: ({ next_start: at }) => (at === null ? '' : <RelativeTime at={at} />),
  },
  {
    key: 'changed',
    title: 'Changed',
    width: '104px',
    align: 'end',
    wideOnly: true,
    cell: ({ updated_at: at }) => <RelativeTime at={at} />,
  },
  {
    key: 'actions',
    title: 'Actions',
    titleHidden: true,
    width: '36px',
    cell: (row) => <WorkflowActions row={row} />,
  },
];

function statusOf({ status, enabled, version }: WorkflowRow): { readonly status: string; readonly label?: string } {
  if (version === 0) return { status: 'draft' };
  if (status === 'pending_approval') return { status: 'pending', label: 'To approve' };
  return { status: enabled ? 'enabled' : 'disabled' };
}

const outcomesText = (runs: readonly { readonly status: string }[]): string =>
  runs.length === 0 ? 'No runs yet' : `Last runs, newest first: ${runs.map(({ status }) => status).join(', ')}`;

/** All workflows of the workspace. */
export function WorkflowsPage() {
  const { panel, ...filters } = workflowsRoute.useSearch();
  const navigate = workflowsRoute.useNavigate();
  const workflows = useInfiniteQuery({ ...workflowsQuery(filters), placeholderData: keepPreviousData });
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = workflows;
  const onMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  const filter = (changed: WorkflowFilters): void =>
    void navigate({ search: (previous) => ({ ...previous, ...changed }), replace: true });
  const search = (event: FormEvent<HTMLInputElement>): void => filter({ q: event.currentTarget.value || undefined });
  const filtered = Object.entries(filters).some(([name, value]) => name !== 'sort' && value !== undefined);
  const { folder } = filters;
  const accessPanel =
    panel === 'access' && folder !== undefined ? (
      <AccessPanel key={folder} folder={folder} onClose={() => filter({ panel: undefined })} />
    ) : null;
  return (
    <WithPanel panel={accessPanel}>
      <Page title="Workflows" description="What runs in this workspace, with its last runs." actions={<Actions />}>
        <Toolbar>
          <SearchInput label="Search by name, step or tag" defaultValue={filters.q} onChange={search} />
          <Select
            aria-label="State"
            options={STATES}
            value={filters.enabled ?? ''}
            onChange={({ currentTarget: { value } }) => filter({ enabled: value || undefined })}
          />
          <Select
            aria-label="Order"
            options={SORTS}
            value={filters.sort ?? '-created_at'}
            onChange={({ currentTarget: { value } }) => filter({ sort: value as WorkflowSort })}
          />
          <FolderFilter
            folder={folder}
            onFolder={(to) => filter({ folder: to })}
            onAccess={() => filter({ panel: 'access' })}
          />
        </Toolbar>
        <Card flush>
          <Loaded query={workflows} skeleton={<SkeletonRows rows={8} label="Loading workflows" />}>
            {({ pages }) => {
              const rows = pages.flatMap(({ data }) => data);
              if (rows.length === 0) {
                return <NoWorkflows filtered={filtered} onClear={() => void navigate({ search: {} })} />;
              }
              return <Table label="Workflows" columns={COLUMNS} rows={rows} rowKey={({ id }) => id} onMore={onMore} />;
            }}
          </Loaded>
        </Card>
      </Page>
    </WithPanel>
  );
}

const NewWorkflow = () => (
  <LinkButton edits to="/workflows/$id" params={{ id: NEW_ID }} kind="primary" icon={PlusIcon}>
    New workflow
  </LinkButton>
);

const Actions = () => (
  <>
    <ImportButton />
    <NewWorkflow />
  </>
);

function NoWorkflows({ filtered, onClear }: { readonly filtered: boolean; readonly onClear: () => void }) {
  return filtered ? (
    <EmptyState icon={WorkflowIcon} title="No workflow matches" actions={<Button onClick={onClear}>Show all</Button>}>
      Change the search or the filters.
    </EmptyState>
  ) : (
    <EmptyState
      icon={WorkflowIcon}
      title="No workflows yet"
      actions={
        <>
          <NewWorkflow />
          <LinkButton to="/">Start from a template</LinkButton>
        </>
      }
    >
      Build one in the editor, run a template, import a file, or push one with the command line.
    </EmptyState>
  );
}
