import { type Compute, defineTask } from '../../../lib/compute';
import { NO_LIMITS } from '../../../lib/json/limits';
import { parseJsonSliced } from '../../../lib/json/parse-sliced';
import { stringifyJsonSliced } from '../../../lib/json/stringify-sliced';
import { type ImportOptions, type ReadOpenApi, readOpenApi } from './read';

/** A document is read in about a second at most. */
const READ_TIMEOUT_MS = 15_000;

interface Job {
  readonly document: unknown;
  readonly around: ImportOptions;
}

/** Text in and text out, as bytes that are handed over: copying objects between threads costs more than parsing them. */
export const readTask = defineTask('services/connectors/openapi/task', 'readTask', (bytes: Uint8Array): Uint8Array => {
  const { document, around } = JSON.parse(new TextDecoder().decode(bytes)) as Job;
  return new TextEncoder().encode(JSON.stringify(readOpenApi(document, around)));
});

/** `readOpenApi` on a compute thread. @throws ComputeError */
export async function readOnThread(compute: Compute, document: unknown, around: ImportOptions): Promise<ReadOpenApi> {
  const text = (await stringifyJsonSliced({ document, around } satisfies Job)) as string;
  const bytes = new TextEncoder().encode(text);
  const result = await compute.run(readTask, bytes, { transfer: [bytes.buffer], timeoutMs: READ_TIMEOUT_MS });
  return (await parseJsonSliced(result, NO_LIMITS)) as unknown as ReadOpenApi;
}
