import type { ServerResponse } from 'node:http';
import { AppError } from '../../../lib/errors';
import type { JsonObject } from '../../../lib/json';
import type { ResultOf } from '../../../contracts/catalogue';
import type { Gateway } from '../gateway';
import { errorAnswer } from '../http/error-answer';
import type { GatewayRequest } from '../http/request';
import { EventWriter } from '../sse/event-writer';
import type { StreamClient } from '../sse/stream-counts';
import type { Watchers } from '../sse/watchers';

/** Errors before this time are sent as an HTTP status. Afterwards the stream is open and errors are events. */
const OPENS_AFTER_MS = 1_000;
const LOOK_MS = 5_000;
/** Limit of a stream, which may exceed the request timeout. */
const MAX_STREAM_MS = 10 * 60_000;

type Talked = ResultOf<'channels.chat'>;
type End = { readonly kind: 'reply'; readonly reply: Talked } | { readonly kind: 'fault'; readonly fault: unknown };

interface Streaming {
  readonly gateway: Gateway;
  readonly watchers: Watchers;
  readonly visitor: StreamClient;
  readonly executionId: string;
  /** Returns the reply. A repeated call waits for the same reply. */
  readonly talk: () => Promise<Talked>;
  /** Called when the wait for the reply ends. */
  readonly leave: () => void;
  readonly request: GatewayRequest;
  readonly response: ServerResponse;
}

/**
 * Streams a reply: `message` with each chunk, `reset` when the output restarts, and finally `reply` with the complete reply,
 * or `error`. Chunks may be lost; the final reply is complete. @throws errors that occur before the stream is open
 */
export async function streamReply(streaming: Streaming): Promise<void> {
  const { gateway, watchers, visitor, executionId, leave, request, response } = streaming;
  const { clock } = gateway.app;
  // Subscribes before the run starts, so that its host publishes all chunks.
  const watch = watchers.watch(executionId, visitor, true);
  let found: End | null = null;
  const end = (): End | null => (watch.open ? found : STOPPING);
  response.once('close', watch.nudge);
  void ended(streaming)
    .finally(leave)
    .then((last) => {
      found = last;
      watch.nudge();
    });
  const opensAt = clock.now() + OPENS_AFTER_MS;
  let writer: EventWriter | null = null;
  try {
    while (!response.destroyed) {
      const last = end();
      if (last?.kind === 'fault' && writer === null) throw last.fault;
      const pieces = watch.output();
      if (last !== null || pieces.length > 0 || clock.now() >= opensAt) writer ??= new EventWriter(response, clock);
      await writer?.writeOutput(pieces, 'message');
      if (last !== null) return await writer?.writeUnnumbered(...lastWords(gateway, last, request));
      await watch.moved(writer === null ? Math.max(0, opensAt - clock.now()) : LOOK_MS);
    }
  } finally {
    watch.stop();
    writer?.end();
  }
}

const STOPPING: End = {
  kind: 'fault',
  fault: new AppError('unavailable', 'This server is being stopped; ask again', { retry_after: 1 }),
};

function lastWords(gateway: Gateway, end: End, request: GatewayRequest): [event: string, data: JsonObject] {
  if (end.kind === 'reply') return ['reply', end.reply.answer];
  const { code, body } = errorAnswer(end.fault, request.requestId, 'public');
  if (code === 'internal') gateway.log.error(`A reply failed, request ${request.requestId}`, end.fault);
  // `errorAnswer` returns JSON.
  return ['error', body as JsonObject];
}

/** Waits for the reply up to `MAX_STREAM_MS`, while the client is connected. Never rejects. */
async function ended({ gateway, talk, request, response }: Streaming): Promise<End> {
  const until = gateway.app.clock.now() + MAX_STREAM_MS;
  for (;;) {
    try {
      return { kind: 'reply', reply: await talk() };
    } catch (fault) {
      // Also after a timeout of the bus. The run continues, or has ended.
      const late = errorAnswer(fault, request.requestId).code === 'timed_out';
      const goesOn = late && !response.destroyed && gateway.app.clock.now() < until;
      if (!goesOn) return { kind: 'fault', fault };
    }
  }
}
