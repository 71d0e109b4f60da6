import { useInfiniteQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import type { DocumentView } from '../../api/client';
import { formatBytes, formatCount } from '../../model/format';
import { ingestLook } from '../../model/knowledge';
import {
  Badge,
  Button,
  Card,
  type Column,
  EmptyState,
  IconButton,
  Loaded,
  RelativeTime,
  RowButton,
  SkeletonRows,
  Table,
} from '../../ui';
import { CloseIcon, GuideIcon, RetryIcon } from '../../ui/icon';
import { DropZone } from './drop-zone';
import styles from './knowledge.module.css';
import { documentsQuery } from './queries';
import { type Upload, useUploads } from './use-uploads';

interface DocumentsTabProps {
  readonly baseId: string;
  readonly selected: string | null;
  readonly onOpen: (id: string) => void;
  readonly onAdd: (kind: 'text' | 'address') => void;
}

/** The documents of a base with their progress, and the ways to add some. */
export function DocumentsTab({ baseId, selected, onOpen, onAdd }: DocumentsTabProps) {
  const documents = useInfiniteQuery(documentsQuery(baseId));
  const { fetchNextPage, hasNextPage, isFetchingNextPage } = documents;
  const { uploads, add, retry, drop } = useUploads(baseId);
  const onMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage();
  }, [fetchNextPage, hasNextPage, isFetchingNextPage]);
  return (
    <div className={styles.stack}>
      <DropZone onFiles={add}>
        <Button onClick={() => onAdd('text')}>Add a text</Button>
        <Button onClick={() => onAdd('address')}>Add a web page</Button>
      </DropZone>
      {uploads.length > 0 && (
        <ul className={styles.uploads} aria-label="Files on their way">
          {uploads.map((upload) => (
            <UploadRow key={upload.key} upload={upload} onRetry={() => retry(upload)} onDrop={() => drop(upload.key)} />
          ))}
        </ul>
      )}
      <Card flush>
        <Loaded query={documents} skeleton={<SkeletonRows rows={5} label="Loading documents" />}>
          {({ pages }) => {
            const rows = pages.flatMap(({ data }) => data);
            return rows.length === 0 ? (
              <EmptyState icon={GuideIcon} title="No documents yet">
                Drop files above. They are read in the background, and can be searched as soon as they are ready.
              </EmptyState>
            ) : (
              <Table
                label="Documents"
                columns={columnsWith(onOpen)}
                rows={rows}
                rowKey={({ id }) => id}
                selected={selected}
                onMore={onMore}
              />
            );
          }}
        </Loaded>
      </Card>
    </div>
  );
}

interface UploadRowProps {
  readonly upload: Upload;
  readonly onRetry: () => void;
  readonly onDrop: () => void;
}

function UploadRow({ upload: { file, problem }, onRetry, onDrop }: UploadRowProps) {
  return (
    <li>
      <span className={styles.uploadName}>{file.name}</span>
      {problem === null ? (
        <Badge tone="info">{`Sending ${formatBytes(file.size)}`}</Badge>
      ) : (
        <>
          <span className={styles.problem}>{problem}</span>
          <IconButton size="small" icon={RetryIcon} label={`Send ${file.name} again`} onClick={onRetry} />
          <IconButton size="small" icon={CloseIcon} label={`Dismiss ${file.name}`} onClick={onDrop} />
        </>
      )}
    </li>
  );
}

const columnsWith = (onOpen: (id: string) => void): readonly Column<DocumentView>[] => [
  {
    key: 'name',
    title: 'Name',
    width: 'minmax(96px, 2.4fr)',
    cell: ({ id, name }) => <RowButton onClick={() => onOpen(id)}>{name}</RowButton>,
  },
  {
    key: 'state',
    title: 'State',
    width: '96px',
    cell: (document) => <Badge tone={ingestLook(document).tone}>{ingestLook(document).label}</Badge>,
  },
  {
    key: 'problem',
    title: 'Reason',
    width: 'minmax(48px, 2fr)',
    wideOnly: true,
    cell: ({ error, warnings }) => <span className="cell-muted">{error?.message ?? warnings[0] ?? ''}</span>,
  },
  {
    key: 'chunks',
    title: 'Parts',
    width: '48px',
    align: 'end',
    wideOnly: true,
    cell: ({ chunks }) => formatCount(chunks),
  },
  {
    key: 'size',
    title: 'Size',
    width: '68px',
    align: 'end',
    wideOnly: true,
    cell: ({ size }) => <span className="cell-muted">{formatBytes(size)}</span>,
  },
  {
    key: 'added',
    title: 'Added',
    width: '88px',
    align: 'end',
    wideOnly: true,
    cell: ({ created_at: at }) => <RelativeTime at={at} />,
  },
];
