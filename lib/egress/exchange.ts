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

/**
 * Sends one request and gathers its answer, up to `maxBytes` of body. Settles when the answer is whole or the first
 * thing goes wrong; the signal then frees the connection. Rejects with EgressError.
 */
export function exchange(
  dispatcher: Dispatcher,
  hop: Hop,
  { maxBytes, mayBegin }: { readonly maxBytes: number; readonly mayBegin: () => boolean },
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
        if (size > maxBytes) controller.abort(tooLarge());
        else chunks.push(chunk);
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
