import type { ServerResponse } from 'node:http';
import { AppError, errorCode } from '../../../lib/errors';
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
  const { gateway, watchers, executionId, request, response } = streaming;
  const { clock } = gateway.app;
  const leave = once(streaming.leave);
  let writer: EventWriter | null = null;
  let end: End | null = null;
  const seen = (): End | null => end;
  const opensAt = clock.now() + OPENS_AFTER_MS;
  let watch: ReturnType<Watchers['watch']> | null = null;
  try {
    watchers.assertRoom();
    // Before the run begins, so that its host knows who listens.
    watch = watchers.watch(executionId, true);
    const { nudge } = watch;
    response.once('close', nudge);
    void ended(streaming)
      .finally(leave)
      .then((found) => {
        end = found;
        nudge();
      });
    while (watch.open && !response.destroyed) {
      const last = seen();
      if (last?.kind === 'fault' && writer === null) throw last.fault;
      const heard = watch.heard();
      if (heard.length > 0 || last !== null || clock.now() >= opensAt) writer ??= new EventWriter(response, clock);
      for (const piece of heard)
        await writer?.tell(...(piece.kind === 'reset' ? (['reset', {}] as const) : tellText(piece.text)));
      if (last !== null) {
        await writer?.tell(...lastWords(gateway, last, request));
        return;
      }
      await watch.moved(writer === null ? Math.max(0, opensAt - clock.now()) : LOOK_MS);
    }
    if (!watch.open) {
      const fault = new AppError('unavailable', 'This server is being stopped; ask again', { retry_after: 1 });
      if (writer === null) throw fault;
      await writer.tell(...lastWords(gateway, { kind: 'fault', fault }, request));
    }
  } finally {
    // Where nothing was begun, nothing will end.
    if (watch === null) leave();
    watch?.stop();
    writer?.end();
  }
}

type Event = readonly [string, JsonObject];

const tellText = (text: string): Event => ['message', { text }];

function lastWords(gateway: Gateway, end: End, request: GatewayRequest): Event {
  if (end.kind === 'reply') return ['reply', end.reply.answer];
  const { code, body } = errorAnswer(end.fault, request.requestId);
  if (code === 'internal') gateway.log.error(`A reply failed, request ${request.requestId}`, end.fault);
  // Made by `errorAnswer`, of JSON.
  return ['error', body as JsonObject];
}

/** The end of the reply, however long it takes: as long as somebody listens. Never rejects. */
async function ended({ gateway, talk, response }: Streaming): Promise<End> {
  const until = gateway.app.clock.now() + LONGEST_MS;
  for (;;) {
    try {
      return { kind: 'reply', reply: await talk() };
    } catch (fault) {
      const goesOn = errorCode(fault) === 'timed_out' && !response.destroyed && gateway.app.clock.now() < until;
      if (!goesOn) return { kind: 'fault', fault };
    }
  }
}

function once(act: () => void): () => void {
  let done = false;
  return () => {
    if (!done) act();
    done = true;
  };
}
