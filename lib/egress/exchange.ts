import type { Dispatcher } from 'undici';
import { EgressError, toEgressError } from './error';
import { responseHeaders } from './headers';
import type { Hop } from './redirect';

/** An answer as it came over the wire, its body still encoded. */
export interface RawAnswer {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
}

/** Shown a part of an answer as it comes. */
export type OnPart = (head: Pick<RawAnswer, 'status' | 'headers'>, part: Buffer) => void;

/**
 * Sends one request and gathers its answer, up to `maxBytes` of body; `onPart` is shown what comes of a success. Settles when the answer is whole or the first
 * thing goes wrong; the signal then frees the connection. Rejects with EgressError.
 */
export function exchange(
  dispatcher: Dispatcher,
  hop: Hop,
  {
    maxBytes,
    mayBegin,
    onPart,
  }: { readonly maxBytes: number; readonly mayBegin: () => boolean; readonly onPart?: OnPart },
  signal: AbortSignal,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const { host, origin, path } = hop.target;
    const chunks: Buffer[] = [];
    let size = 0;
    let status = 0;
    let headers: RawAnswer['headers'] = {};
    let release = (): void => {};
    const tooLarge = (): EgressError =>
      new EgressError('too_large', `${host} answers with more than ${maxBytes} bytes`);

    const handler: Dispatcher.DispatchHandler = {
      // Called once a connection is there, which may be after the signal.
      onRequestStart(controller) {
        const abort = (): void => controller.abort(toEgressError(signal.reason, host));
        if (signal.aborted) return abort();
        if (!mayBegin()) return controller.abort(new EgressError('aborted', 'the request must not be sent any more'));
        signal.addEventListener('abort', abort, { once: true });
        release = () => signal.removeEventListener('abort', abort);
      },
      onResponseStart(controller, statusCode, received) {
        if (statusCode < 200) return;
        status = statusCode;
        headers = responseHeaders(received);
        if (hop.method !== 'HEAD' && Number(headers['content-length']) > maxBytes) controller.abort(tooLarge());
      },
      onResponseData(controller, chunk) {
        size += chunk.length;
        if (size > maxBytes) return controller.abort(tooLarge());
        chunks.push(chunk);
        if (onPart !== undefined && status < 300 && isPlain(headers)) onPart({ status, headers }, chunk);
      },
      onResponseEnd() {
        release();
        resolve({ status, headers, body: Buffer.concat(chunks, size) });
      },
      onResponseError(_controller, error) {
        release();
        reject(toEgressError(error, host));
      },
    };
    dispatcher.dispatch(
      { origin, path, method: hop.method, headers: Object.fromEntries(hop.headers), body: hop.body },
      handler,
    );
  });
}

/** Parts of what is packed say nothing to anybody. */
const isPlain = (headers: RawAnswer['headers']): boolean =>
  ['', 'identity'].includes(String(headers['content-encoding'] ?? ''));
