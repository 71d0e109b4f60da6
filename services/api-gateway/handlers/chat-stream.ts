import type { ServerResponse } from 'node:http';
import { AppError } from '../../../lib/errors';
import type { JsonObject } from '../../../lib/json';
import type { ResultOf } from '../../catalogue';
import type { Gateway } from '../gateway';
import { errorAnswer } from '../http/error-answer';
import type { GatewayRequest } from '../http/request';
import { EventWriter } from '../sse/event-writer';
import type { Watchers } from '../sse/watchers';

/** So long a refusal can still be told by a status; then the stream opens, and says that it is there. */
const OPENS_AFTER_MS = 1_000;
const LOOK_MS = 5_000;
/** A stream is kept open longer than a request may take, but not for ever. */
const LONGEST_MS = 10 * 60_000;

type Talked = ResultOf<'channels.chat'>;
type End = { readonly kind: 'reply'; readonly reply: Talked } | { readonly kind: 'fault'; readonly fault: unknown };

interface Streaming {
  readonly gateway: Gateway;
  readonly watchers: Watchers;
  readonly executionId: string;
  /** Answers with the reply; asked again, it waits for the same. */
  readonly talk: () => Promise<Talked>;
  /** Called when nothing more is waited for. */
  readonly leave: () => void;
  readonly request: GatewayRequest;
  readonly response: ServerResponse;
}

/**
 * Sends a reply as it is made: `message` with each piece, `reset` when it begins anew, and at last `reply` with all of
 * it, or `error`. Pieces may be lost; the reply is whole. @throws what is known before the stream is open
 */
export async function streamReply(streaming: Streaming): Promise<void> {
  const { gateway, watchers, executionId, leave, request, response } = streaming;
  const { clock } = gateway.app;
  // Before the run begins, so that its host knows who listens.
  const watch = watchers.watch(executionId, true);
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
      const heard = watch.heard();
      if (last !== null || heard.length > 0 || clock.now() >= opensAt) writer ??= new EventWriter(response, clock);
      await writer?.tellHeard(heard, 'message');
      if (last !== null) return await writer?.tell(...lastWords(gateway, last, request));
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
  const { code, body } = errorAnswer(end.fault, request.requestId);
  if (code === 'internal') gateway.log.error(`A reply failed, request ${request.requestId}`, end.fault);
  // Made by `errorAnswer`, of JSON.
  return ['error', body as JsonObject];
}

/** The end of the reply, however long it takes, as long as somebody listens. Never rejects. */
async function ended({ gateway, talk, request, response }: Streaming): Promise<End> {
  const until = gateway.app.clock.now() + LONGEST_MS;
  for (;;) {
    try {
      return { kind: 'reply', reply: await talk() };
    } catch (fault) {
      // Also where the bus has waited in vain: the run goes on, or has ended.
      const late = errorAnswer(fault, request.requestId).code === 'timed_out';
      const goesOn = late && !response.destroyed && gateway.app.clock.now() < until;
      if (!goesOn) return { kind: 'fault', fault };
    }
  }
}
