import type { Dispatcher } from 'undici';
import { EgressError, toEgressError } from './error';
import { responseHeaders } from './headers';
import type { Hop } from './redirect';

/** A response as received, with its body still encoded. */
interface RawAnswer {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
}

/** Receives a part of a response. */
export type OnPart = (head: Pick<RawAnswer, 'status' | 'headers'>, part: Buffer) => void;

/**
 * Sends one request and collects its response, up to `maxBytes` of body; `onPart` receives the parts of a success.
 * Settles when the response is complete or at the first fault; the signal then frees the connection. Rejects with
 * EgressError.
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
    const tooLarge = (): EgressError => new EgressError('too_large', `${host} sent more than ${maxBytes} bytes`);

    const handler: Dispatcher.DispatchHandler = {
      // Called once connected, which may be after the signal.
      onRequestStart(controller) {
        const abort = (): void => controller.abort(toEgressError(signal.reason, host));
        if (signal.aborted) return abort();
        if (!mayBegin())
          return controller.abort(new EgressError('aborted', 'the request was cancelled before it was sent'));
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

/** Parts of a compressed body cannot be used. */
const isPlain = (headers: RawAnswer['headers']): boolean =>
  ['', 'identity'].includes(String(headers['content-encoding'] ?? ''));
