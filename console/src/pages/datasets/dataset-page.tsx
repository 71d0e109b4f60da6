import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { DatasetRow, DatasetView } from '../../api/client';
import { formatBytes, formatCount } from '../../model/format';
import { shortJson } from '../../model/evaluations';
import {
  Button,
  Card,
  type Column,
  EmptyState,
  ErrorState,
  LinkButton,
  Loaded,
  Page,
  RowButton,
  SkeletonRows,
  Table,
  Toolbar,
  WithPanel,
} from '../../ui';
import { CloseIcon, DataIcon, PlusIcon, TryIcon } from '../../ui/icon';
import { DatasetActions } from './dataset-actions';
import { FromRunsPanel } from './from-runs-panel';
import { datasetQuery, rowsQuery } from './queries';
import { datasetRoute } from './route';
import { RowPanel } from './row-panel';
import { UploadButton } from './upload-button';
import styles from './datasets.module.css';

/** The rows of a data set, of which any number scrolls. */
export function DatasetPage() {
  const { id } = datasetRoute.useParams();
  const { tag, row, add } = datasetRoute.useSearch();
  const navigate = datasetRoute.useNavigate();
  const dataset = useQuery(datasetQuery(id));
  const rows = useInfiniteQuery({ ...rowsQuery(id, tag), placeholderData: keepPreviousData });
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = rows;
  const onMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  if (dataset.data === undefined)
    return (
      <Page title="Data set">
        <Card flush>
          {dataset.isPending ? (
            <SkeletonRows label="Loading the data set" />
          ) : (
            <ErrorState error={dataset.error} onRetry={() => void dataset.refetch()} />
          )}
        </Card>
      </Page>
    );
  const show = (search: { row?: string; add?: 'row' | 'runs' }): void =>
    void navigate({ search: (previous) => ({ tag: previous.tag, ...search }), replace: row !== undefined });
  const all = rows.data?.pages.flatMap(({ data }) => data) ?? [];
  const close = (): void => show({});
  const panel =
    add === 'runs' ? (
      <FromRunsPanel id={id} onClose={close} />
    ) : add === 'row' ? (
      <RowPanel key="new" id={id} row={null} onClose={close} />
    ) : row === undefined ? null : (
      <RowPanel key={row} id={id} row={all.find((each) => each.id === row) ?? null} onClose={close} />
    );
  return (
    <WithPanel panel={panel}>
      <Page
        title={dataset.data.name}
        description={descriptionOf(dataset.data)}
        actions={
          <>
            <DatasetActions dataset={dataset.data} />
            <LinkButton edits kind="primary" icon={TryIcon} to="/evaluations/new" search={{ dataset: id }}>
              Evaluate
            </LinkButton>
          </>
        }
      >
        <Toolbar>
          <Button edits icon={PlusIcon} onClick={() => show({ add: 'row' })}>
            Add a row
          </Button>
          <UploadButton id={id} />
          <Button edits onClick={() => show({ add: 'runs' })}>
            From runs
          </Button>
          {tag !== undefined && (
            <Button kind="ghost" icon={CloseIcon} onClick={() => void navigate({ search: {} })}>
              {`Tag ${tag}`}
            </Button>
          )}
        </Toolbar>
        <Card flush>
          <Loaded query={rows} skeleton={<SkeletonRows rows={8} label="Loading rows" />}>
            {() =>
              all.length === 0 ? (
                <EmptyState icon={DataIcon} title={tag === undefined ? 'No rows yet' : 'No row has this tag'}>
                  {tag === undefined &&
                    'Upload CSV with the columns id, input and expected, or take the inputs of past runs.'}
                </EmptyState>
              ) : (
                <Table
                  label="Rows"
                  columns={columnsWith(
                    (rowId) => show({ row: rowId }),
                    (name) => void navigate({ search: { tag: name } }),
                  )}
                  rows={all}
                  rowKey={(each) => each.id}
                  selected={row ?? null}
                  onMore={onMore}
                />
              )
            }
          </Loaded>
        </Card>
      </Page>
    </WithPanel>
  );
}

const descriptionOf = ({ description, rows, bytes, revision }: DatasetView): string =>
  [
    description,
    `${formatCount(rows)} ${rows === 1 ? 'row' : 'rows'}, ${formatBytes(bytes)}, revision ${formatCount(revision)}.`,
  ]
    .filter(Boolean)
    .join(' ');

const columnsWith = (onOpen: (id: string) => void, onTag: (tag: string) => void): readonly Column<DatasetRow>[] => [
  {
    key: 'id',
    title: 'Id',
    width: 'minmax(88px, 1fr)',
    cell: (row) => <RowButton onClick={() => onOpen(row.id)}>{row.id}</RowButton>,
  },
  {
    key: 'input',
    title: 'Input',
    width: 'minmax(120px, 3fr)',
    cell: (row) => <code className={styles.value}>{shortJson(row.input)}</code>,
  },
  {
    key: 'expected',
    title: 'Expected',
    width: 'minmax(100px, 2fr)',
    wideOnly: true,
    cell: (row) =>
      row.expected === undefined ? (
        <span className="cell-muted">Nothing</span>
      ) : (
        <code className={styles.value}>{shortJson(row.expected)}</code>
      ),
  },
  {
    key: 'tags',
    title: 'Tags',
    width: 'minmax(80px, 1fr)',
    wideOnly: true,
    cell: ({ tags }) => (
      <span className={styles.tags}>
        {tags.map((tag) => (
          <button key={tag} type="button" className={styles.tag} onClick={() => onTag(tag)}>
            {tag}
          </button>
        ))}
      </span>
    ),
  },
];
