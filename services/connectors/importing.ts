import { ComputeError, type ComputePool } from '../../lib/compute';
import { type Egress, EgressError } from '../../lib/egress';
import { AppError } from '../../lib/errors';
import { auditedBy, type AuditLog, recordedBy } from '../../mixins/audit';
import type { ActionContext } from '../../mixins/service';
import type { ImportedConnector } from '../../nodes/connectors/imported';
import type { ImportView } from '../../contracts/connectors';
import type { ImportOptions } from './openapi/read';
import { readOnThread } from './openapi/task';
import type { ImportedStore } from './store';
import { importedView } from './view';

const MAX_DOCUMENT_BYTES = 5 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const MAX_SKIPPED = 50;

/** Makes connectors of descriptions of APIs. */
export const importing = (
  audit: AuditLog,
  store: ImportedStore,
  egress: Pick<Egress, 'request'>,
  compute: Pick<ComputePool, 'lane'>,
) => {
  return {
    /** @throws AppError invalid_request, conflict, provider_failed where the document cannot be got */
    async importDocument(ctx: ActionContext<'connectors.import'>): Promise<ImportView> {
      const { tenantId, principal } = ctx;
      const { connector, left } = await readDocument(ctx);
      const by = principal?.user_id ?? 'service';
      const stored = await store.put(tenantId, connector, by, recordedBy(audit, auditedBy(ctx)));
      return { ...importedView(stored, true), base_url: stored.base, left };
    },
    /** What `importDocument` would store. @throws AppError as it does */
    async previewImport(ctx: ActionContext<'connectors.preview_import'>): Promise<ImportView> {
      const { connector, left } = await readDocument(ctx);
      const revision = ((await store.find(ctx.tenantId, connector.name))?.revision ?? 0) + 1;
      return { ...importedView({ ...connector, revision }, true), base_url: connector.base, left };
    },
  };

  async function readDocument({
    params,
    tenantId,
  }: Pick<ActionContext<'connectors.import'>, 'params' | 'tenantId'>): Promise<{
    connector: Omit<ImportedConnector, 'revision'>;
    left: string[];
  }> {
    // The check of params takes null for nothing where a field may be absent.
    const { url = null, document = null } = params;
    if ((url === null) === (document === null))
      throw invalid('document', 'Send either "url" or "document", and not both');
    const around: ImportOptions = {
      name: params.name,
      title: params.title ?? null,
      baseUrl: params.base_url ?? null,
      url,
    };
    const given = document ?? (await got(egress, url ?? ''));
    const read = await readOnThread(compute.lane(tenantId), given, around).catch(notRead);
    if (read.kind === 'fault') throw invalid(read.path, `The ${read.path} ${read.message}`);
    return { connector: read.connector, left: read.left.slice(0, MAX_SKIPPED) };
  }
};

/** The text of a document. @throws AppError */
async function got(egress: Pick<Egress, 'request'>, url: string): Promise<string> {
  try {
    const { status, body } = await egress.request({
      method: 'GET',
      url,
      headers: { accept: 'application/json, application/yaml, text/yaml;q=0.9, */*;q=0.5' },
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_DOCUMENT_BYTES,
    });
    if (status === 200) return body.toString();
    throw invalid('url', `The document cannot be got: the server answered ${status}`);
  } catch (fault) {
    if (!(fault instanceof EgressError)) throw fault;
    const message = `The document cannot be got: ${fault.message}`;
    throw fault.retryable ? new AppError('provider_failed', message) : invalid('url', message);
  }
}

function notRead(fault: unknown): never {
  if (!(fault instanceof ComputeError)) throw fault;
  if (fault.retryable) throw new AppError('unavailable', fault.message, {}, { cause: fault });
  throw invalid('document', 'The document takes too much work to read; import it in parts');
}

const invalid = (path: string, message: string): AppError =>
  new AppError('invalid_request', message, { details: [{ path, message }] });
