import { AppError, errorCode } from '../../lib/errors';
import { randomId } from '../../lib/ids';
import type { ServiceContext } from '../../mixins/service';
import type { NodeFile, NodeFiles } from '../../nodes/contract';
import type { ActorDeps } from '../../runtime/execution/deps';
import type { App } from '../app';
import { type FileContentRef, type FileView, PART_BYTES, partsOf } from '../../contracts/files';
import { retryWhileAllowed } from './retry-until-available';
import { toServiceAnswer } from './service-answer';

/** Attempts to write or read a file when its content is replaced in between. */
const MAX_TRIES = 3;
const MISSING = 'file_not_found';

type Write = Parameters<NodeFiles['write']>[0];
type Read = Parameters<NodeFiles['read']>[0];

/** The workspaces of the runs on this host. Transfers files in parts to and from the `files` service. */
export const hostFiles =
  (app: App, { call, log }: ServiceContext): ActorDeps['files'] =>
  ({ id: runId, tenantId, workflowId }, assertMay) => {
    const asService = { asServiceOf: tenantId };
    const ask = <T>(work: () => Promise<T>): Promise<T> =>
      retryWhileAllowed(app, log, 'The workspace of the run', assertMay, work);

    async function write({ path, content, contentType }: Write): Promise<FileView> {
      const blob_id = randomId();
      const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
      const file = { path, size: bytes.length, content_type: contentType };
      await ask(() =>
        call('files.begin', { blob_id, execution_id: runId, workflow_id: workflowId, ...file }, asService),
      );
      try {
        return await bring(blob_id, bytes);
      } catch (fault) {
        // Garbage collection removes the content if this call fails.
        await call('files.give_up', { blob_id }, asService).catch((lost: unknown) =>
          log.debug(`The content of ${path} was not given up`, lost),
        );
        throw fault;
      }
    }

    async function bring(blob_id: string, bytes: Buffer): Promise<FileView> {
      for (let n = 0; n < partsOf(bytes.length); n++) {
        const data = bytes.subarray(n * PART_BYTES, (n + 1) * PART_BYTES).toString('base64');
        await ask(() => call('files.put_part', { blob_id, n, data }, asService));
      }
      return ask(() => call('files.commit', { blob_id }, asService));
    }

    async function read({ path, executionId = runId, maxBytes }: Read): Promise<NodeFile & { content: Buffer }> {
      const found = await ask(() => call('files.find', { execution_id: executionId, path }, asService));
      if (found.size > maxBytes)
        throw new AppError(
          'payload_too_large',
          `${path} has ${found.size} bytes, and a step reads at most ${maxBytes}`,
        );
      return { ...fileOf(found), content: await contentOf(found) };
    }

    async function contentOf({ blob_id, size }: FileContentRef): Promise<Buffer> {
      const parts: Buffer[] = [];
      for (let n = 0; n < partsOf(size); n++) {
        const { data } = await ask(() => call('files.read_part', { blob_id, n }, asService));
        parts.push(Buffer.from(data, 'base64'));
      }
      return Buffer.concat(parts);
    }

    return {
      write: (file) => toServiceAnswer(MISSING, () => again('conflict', async () => fileOf(await write(file)))),
      read: (asked) => toServiceAnswer(MISSING, () => again('not_found', () => read(asked))),
      share: ({ path, until }) =>
        toServiceAnswer(MISSING, async () => {
          const end = until === null ? null : new Date(until).toISOString();
          const { url, id } = await ask(() =>
            call('files.share', { execution_id: runId, path, until: end }, asService),
          );
          return { url, id };
        }),
    };
  };

const fileOf = ({ path, name, size, content_type, sha256 }: FileView): NodeFile => ({
  path,
  name,
  size,
  contentType: content_type,
  sha256,
});

/** Retries when the content was replaced between two parts. */
async function again<T>(code: 'conflict' | 'not_found', work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (fault) {
      if (errorCode(fault) !== code || tries === MAX_TRIES) throw fault;
    }
  }
}
