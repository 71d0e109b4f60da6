/**
 * Content goes from one service to another in parts: all but the last part of a file have exactly this many bytes. In base64,
 * one fits into a message of NATS as it comes.
 */
export const PART_BYTES = 524_288;

/** How many parts a file of a size (bytes) has. */
export const partsOf = (size: number): number => Math.ceil(size / PART_BYTES);

/** A file of a run's workspace. Times are RFC 3339, `size` is in bytes, `sha256` in hexadecimal. */
export interface FileView {
  path: string;
  name: string;
  size: number;
  content_type: string;
  sha256: string;
  created_at: string;
}

/** With the id by which its parts are read: of this content alone, not of what may take its place. */
export interface FileFound extends FileView {
  blob_id: string;
}

/** A row of a list. `url`: where it can be downloaded by whoever sees the list; null for nowhere. */
export interface FileRow extends Omit<FileView, 'sha256'> {
  url: string | null;
}

/** A part of a file's content, in base64. */
export interface FilePart {
  data: string;
}

export interface FilesActions {
  /** Internal: begins a file of a run. The caller chooses the id of its content, so that it may begin twice. */
  'files.begin': (p: {
    blob_id: string;
    execution_id: string;
    workflow_id: string;
    path: string;
    size: number;
    content_type: string;
  }) => void;
  /** Internal: the part `n` (from 0) of what was begun. */
  'files.put_part': (p: { blob_id: string; n: number; data: string }) => void;
  /** Internal: all parts are there; the file takes the place of what was at its path. */
  'files.commit': (p: { blob_id: string }) => FileView;
  /** Internal: what was begun is not going to be committed. Of what is committed nothing changes. */
  'files.give_up': (p: { blob_id: string }) => void;
  /** Internal: a file of the tenant. */
  'files.find': (p: { execution_id: string; path: string }) => FileFound;
  'files.read_part': (p: { blob_id: string; n: number }) => FilePart;
  /** Internal: an address at which anybody can download the file, until an instant (RFC 3339; null for any). */
  'files.share': (p: { execution_id: string; path: string; until: string | null }) => {
    url: string;
    id: string;
    expires_at: string | null;
  };
  /** Internal: removes the files of a workflow, or of these runs of the tenant. Repeating it is harmless. */
  'files.remove': (p: { workflow_id?: string; execution_ids?: string[] }) => { removed: number };
  /** Internal: how much the tenant keeps, in bytes. */
  'files.usage': (p: Record<string, never>) => { bytes: number };
  /** `origin`: where the caller has reached the API, for addresses where BASE_URL is not set. */
  'files.list': (p: { exec_id: string; origin?: string | undefined }) => { data: FileRow[] };
  /** Public by the run's id. Addresses of shared files alone. */
  'files.list_public': (p: { id: string; origin?: string | undefined }) => { data: FileRow[] };
  'files.stat': (p: { exec_id: string; path: string }) => FileFound;
  'files.part': (p: { blob_id: string; n: number }) => FilePart;
  /** Public by the id of the share. */
  'files.shared': (p: { id: string }) => FileFound;
  'files.shared_part': (p: { id: string; blob_id: string; n: number }) => FilePart;
}
