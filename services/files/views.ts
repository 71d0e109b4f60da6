import type { FileContentRef, FileRow, FileView } from '../../contracts/files';
import type { FileRecord } from './models';

type Viewed = Pick<FileRecord, 'path' | 'name' | 'size' | 'content_type' | 'sha256' | 'created_at'>;

/** The configured base URL of this installation, else the one of the caller's request. */
interface Address {
  readonly baseUrl: string | null;
  readonly port: number;
  readonly origin?: string | undefined;
}

const baseOf = ({ baseUrl, origin, port }: Address): string => baseUrl ?? origin ?? `http://localhost:${port}`;

export const fileView = ({ path, name, size, content_type, sha256, created_at }: Viewed): FileView => ({
  path,
  name,
  size,
  content_type,
  sha256,
  created_at: created_at.toISOString(),
});

export const storedFileView = (record: FileRecord): FileContentRef => ({
  ...fileView(record),
  blob_id: record.blob_id,
});

/** For callers who may read all files of the run. */
export const ownRow = (record: FileRecord, address: Address): FileRow =>
  row(record, `${baseOf(address)}/api/v1/workspaces/runs/${record.execution_id}/files/${encoded(record.path)}`);

/** For callers who only know the run's id. */
export const publicRow = (record: FileRecord, address: Address, now: number): FileRow =>
  row(record, isShared(record, now) ? shareUrl(address, record.share_id as string, record.name) : null);

/** The name is only for display. */
export const shareUrl = (address: Address, shareId: string, name: string): string =>
  `${baseOf(address)}/api/v1/files/${shareId}/${encodeURIComponent(name)}`;

export const isShared = ({ share_id, share_until }: Pick<FileRecord, 'share_id' | 'share_until'>, now: number) =>
  share_id !== null && (share_until === null || share_until.getTime() > now);

function row(record: FileRecord, url: string | null): FileRow {
  const { sha256: _, ...rest } = fileView(record);
  return { ...rest, url };
}

const encoded = (path: string): string => path.split('/').map(encodeURIComponent).join('/');
