import { randomUUID } from 'node:crypto';
import type { Db } from 'mongodb';
import type { ServiceSchema } from 'moleculer';
import { auditService } from '../../../services/audit/audit.service';
import { authService } from '../../../services/auth/auth.service';
import { filesService } from '../../../services/files/files.service';
import { type FileView, PART_BYTES } from '../../../contracts/files';
import { registerTenant } from '../../support/accounts';
import { type Actor, startApp, type StartOptions, type TestApp } from '../../support/app';

/** The service of files with a tenant, without the rest of the product. */
export interface FilesHouse {
  readonly t: TestApp;
  /** The tenant's runtime. */
  readonly ann: Actor & { tenant_id: string };
  readonly bob: Actor & { tenant_id: string };
  readonly db: Db;
  /** Begins a file and brings its parts; not committed. Answers the id of its content. */
  bring(content: Buffer, file: Partial<Place>, who?: Actor): Promise<string>;
  write(content: Buffer | string, file?: Partial<Place>, who?: Actor): Promise<FileView>;
  read(file: Partial<Place>, who?: Actor): Promise<Buffer>;
  /** How many documents there are of each collection. */
  counts(): Promise<{ files: number; blobs: number; chunks: number }>;
  close(): Promise<void>;
}

export interface Place {
  execution_id: string;
  workflow_id: string;
  path: string;
  content_type: string;
}

const PLACE: Place = {
  execution_id: '0198c0de-0000-7000-8000-000000000001',
  workflow_id: '0198c0de-0000-4000-8000-000000000002',
  path: 'a.txt',
  content_type: 'text/plain; charset=utf-8',
};

export async function openFiles(options: Partial<StartOptions> = {}): Promise<FilesHouse> {
  const services: readonly ((app: TestApp['app']) => ServiceSchema)[] = [authService, auditService, filesService];
  const t = await startApp({ services, ...options });
  const tenant = async (): Promise<Actor & { tenant_id: string }> => ({
    tenant_id: (await registerTenant(t)).tenant.id,
    role: 'service',
  });
  const [ann, bob] = [await tenant(), await tenant()];
  const db = t.app.db.db as unknown as Db;
  const bring = async (content: Buffer, file: Partial<Place>, who: Actor = ann): Promise<string> => {
    const blob_id = randomUUID();
    await t.call('files.begin', { blob_id, ...PLACE, ...file, size: content.length }, who);
    for (let n = 0; n * PART_BYTES < content.length; n++) {
      const data = content.subarray(n * PART_BYTES, (n + 1) * PART_BYTES).toString('base64');
      await t.call('files.put_part', { blob_id, n, data }, who);
    }
    return blob_id;
  };
  return {
    t,
    ann,
    bob,
    db,
    bring,
    async write(content, file = {}, who = ann) {
      const blob_id = await bring(Buffer.from(content), file, who);
      return t.call('files.commit', { blob_id }, who);
    },
    async read(file, who = ann) {
      const { execution_id, path } = { ...PLACE, ...file };
      const { blob_id, size } = await t.call('files.find', { execution_id, path }, who);
      const parts: Buffer[] = [];
      for (let n = 0; n * PART_BYTES < size; n++) {
        const { data } = await t.call('files.read_part', { blob_id, n }, who);
        parts.push(Buffer.from(data, 'base64'));
      }
      return Buffer.concat(parts);
    },
    async counts() {
      const [files, blobs, chunks] = await Promise.all(
        ['workspace_files', 'files.files', 'files.chunks'].map((name) => db.collection(name).countDocuments()),
      );
      return { files: files as number, blobs: blobs as number, chunks: chunks as number };
    },
    close: () => t.close(),
  };
}

export const RUN = PLACE.execution_id;
export const WORKFLOW = PLACE.workflow_id;
