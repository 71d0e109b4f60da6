import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../api/client';
import { saveResponse } from '../../app/save-file';
import { formatBytes } from '../../model/format';
import { Card, type Column, EmptyState, IconButton, Loaded, Table, toastError } from '../../ui';
import { DownloadIcon } from '../../ui/icon';
import { filesQuery } from './queries';

interface FileRow {
  readonly path: string;
  readonly name: string;
  readonly size: number;
  readonly content_type: string;
}

/** The files that the run has written. */
export function FilesTab({ runId }: { readonly runId: string }) {
  const files = useQuery(filesQuery(runId));
  return (
    <Card flush>
      <Loaded query={files}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState icon={DownloadIcon} title="No files">
              Files that steps write into the workspace of the run are listed here.
            </EmptyState>
          ) : (
            <Table label="Files" columns={columnsOf(runId)} rows={data} rowKey={({ path }) => path} />
          )
        }
      </Loaded>
    </Card>
  );
}

const columnsOf = (runId: string): readonly Column<FileRow>[] => [
  { key: 'path', title: 'Path', width: 'minmax(160px, 1fr)', cell: ({ path }) => path },
  {
    key: 'type',
    title: 'Type',
    width: '200px',
    wideOnly: true,
    cell: ({ content_type: type }) => <span className="cell-muted">{type}</span>,
  },
  { key: 'size', title: 'Size', width: '96px', align: 'end', cell: ({ size }) => formatBytes(size) },
  {
    key: 'download',
    title: 'Download',
    titleHidden: true,
    width: '36px',
    cell: (file) => <Download runId={runId} file={file} />,
  },
];

function Download({ runId, file }: { readonly runId: string; readonly file: FileRow }) {
  const [busy, setBusy] = useState(false);
  const download = (): void => {
    setBusy(true);
    api.files
      .download({ exec_id: runId, path: file.path })
      .then((response) => saveResponse(response, file.name))
      .catch(toastError)
      .finally(() => setBusy(false));
  };
  return (
    <IconButton icon={DownloadIcon} label={`Download ${file.name}`} size="small" disabled={busy} onClick={download} />
  );
}
