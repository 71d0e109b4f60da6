import { AppError, errorCode } from '../../../lib/errors';
import { derivedId } from '../../../lib/ids';
import type { JsonObject } from '../../../lib/json';
import { assertSameInput, isRefusal, waitMs } from '../../../mixins/admission';
import { NO_TENANT } from '../../../mixins/principal';
import type { ActionContext } from '../../../mixins/service';
import type { App } from '../../app';
import type { Call } from '../../catalogue';
import type { StartResult } from '../../executor/contract';
import type { ChatDeployment } from '../../workflows/contract';
import type { Starting } from '../starting';
import type { ChatDoor } from './contract';
import type { Conversations } from './conversations';
import { asMessages } from './history';
import type { ConversationRecord } from './model';
import { answerOf, repliedBy, turnOf } from './reply';

/** In characters. */
const LONGEST_MESSAGE = 16_000;
/** Who has a turn and has started no run by then is taken for dead. */
const ABANDONED_MS = 15_000;
const LOOK_MS = 100;
const RETRY_AFTER_SECONDS = 2;

type Talking = Pick<ActionContext<'channels.chat'>, 'call' | 'requestId' | 'params'>;

/** A message on its way to its turn. */
interface Message {
  readonly chat: ChatDeployment;
  readonly body: JsonObject;
  readonly said: string;
  readonly executionId: string;
  /** Null for the first of a conversation. */
  readonly conversationId: string | null;
  /** When the visitor is answered at the latest, in epoch milliseconds. */
  readonly until: number;
}

/** Takes messages of visitors, one after the other in each conversation, and answers with what their runs say. */
export function talking(app: App, conversations: Conversations, { admit, start }: Starting) {
  return {
    async door(call: Call, slug: string): Promise<ChatDoor> {
      const { id, title, greeting, input_field, output_field, allowed_origins, rate_limit } = await chatAt(call, slug);
      return { id, config: { title, greeting, input_field, output_field }, allowed_origins, rate_limit };
    },

    /**
     * @throws AppError not_found, invalid_request, payload_too_large, workflow_disabled, workflow_pending, unavailable,
     * conflict while an earlier message has no reply, idempotency_mismatch, execution_failed, timed_out
     */
    async talk(ctx: Talking): Promise<{ answer: JsonObject; replayed: boolean }> {
      const message = await read(ctx);
      const { chat, executionId } = message;
      await letIn(ctx.call, chat);
      const conversation = await turnFor(ctx.call, message);
      const started = await run(ctx, message, conversation);
      assertSameInput(started, message.body);
      const { execution, replayed } = started;
      const replied = repliedBy(execution, chat.output_field);
      const { pending } = conversation;
      if (replied.kind !== 'running' && pending?.execution_id === executionId)
        await conversations.end(chat, conversation, executionId, turnOf(pending, replied));
      const ids = { conversation_id: conversation._id, execution_id: executionId };
      return { answer: answerOf(replied, chat.output_field, ids), replayed };
    },
  };

  /** As `admit`, but visitors are not told what the workflow's secrets are called. */
  async function letIn(call: Call, { workflow }: ChatDeployment): Promise<void> {
    try {
      await admit(call, workflow);
    } catch (fault) {
      if (errorCode(fault) !== 'unknown_secret') throw fault;
      throw new AppError('unavailable', 'This chat cannot answer now', undefined, { cause: fault });
    }
  }

  async function read({ call, params }: Talking): Promise<Message> {
    const until = app.clock.now() + waitMs(app.config.requestTimeoutMs);
    const chat = await chatAt(call, params.slug);
    const { body, execution_id: executionId } = params;
    const said = textAt(body, chat.input_field);
    if (said.trim() === '') throw invalid(chat.input_field, 'must say something');
    if (said.length > LONGEST_MESSAGE)
      throw new AppError('payload_too_large', `A message has at most ${LONGEST_MESSAGE} characters`);
    const conversationId = (body.conversation_id ?? null) === null ? null : textAt(body, 'conversation_id');
    return { chat, body, said, executionId, conversationId, until };
  }

  /** The conversation, in which the message has its turn, or had it before. */
  async function turnFor(call: Call, message: Message): Promise<ConversationRecord> {
    const { chat, conversationId, executionId, until } = message;
    // By the run, so that a repeated first message finds its conversation; nobody without our key can guess it.
    const id = conversationId ?? derivedId(app.keys.ids, 'conversation', chat.id, executionId);
    for (;;) {
      const found = await conversations.find(chat, id);
      if (found === null && conversationId !== null) throw new AppError('not_found', 'There is no such conversation');
      const had = found?.turns.some((turn) => turn.execution_id === executionId);
      if (found !== null && (had || found.pending?.execution_id === executionId)) return found;
      if (found !== null && found.pending !== null) {
        await wait(call, chat, found, until);
        continue;
      }
      const claimed = await (found === null
        ? conversations.open(chat, id, message)
        : conversations.claim(chat, id, message));
      if (claimed !== null) return claimed;
    }
  }

  /** Until the message that has its turn has a reply. @throws AppError conflict when it has none in time */
  async function wait(call: Call, chat: ChatDeployment, found: ConversationRecord, until: number): Promise<void> {
    const { pending } = found;
    if (pending === null) return;
    const left = Math.max(0, until - app.clock.now());
    const settled = await settledRun(call, chat, pending.execution_id, left);
    if (settled === null) {
      // Its run may be on its way still; who was to start it may be dead.
      const abandoned = pending.since.getTime() + ABANDONED_MS <= app.clock.now();
      if (abandoned) return conversations.end(chat, found, pending.execution_id, null);
      if (left > 0) return new Promise((resolve) => app.clock.after(LOOK_MS, resolve));
    }
    const replied = settled === null ? null : repliedBy(settled.execution, chat.output_field);
    if (replied !== null && replied.kind !== 'running')
      return conversations.end(chat, found, pending.execution_id, turnOf(pending, replied));
    throw new AppError('conflict', 'An earlier message of this conversation has no reply yet; try again later', {
      retry_after: RETRY_AFTER_SECONDS,
      body: { conversation_id: found._id, execution_id: pending.execution_id },
    });
  }

  /** Null when there is no such run. */
  async function settledRun(call: Call, chat: ChatDeployment, id: string, ms: number): Promise<StartResult | null> {
    try {
      return await call('executions.settled', { id, wait_ms: ms }, { asServiceOf: chat.workflow.tenant_id });
    } catch (fault) {
      if (errorCode(fault) === 'not_found') return null;
      throw fault;
    }
  }

  /** A start that is refused gives its turn back. */
  async function run(ctx: Talking, message: Message, conversation: ConversationRecord): Promise<StartResult> {
    const { chat, body, said, executionId, until } = message;
    const { _id, turns } = conversation;
    try {
      return await start(ctx, chat.workflow, {
        type: 'chat',
        trigger: { ...body, message: said, conversation_id: _id, history: asMessages(turns), body },
        input: body,
        executionId,
        waitMs: Math.max(0, until - app.clock.now()),
      });
    } catch (fault) {
      if (isRefusal(fault)) await conversations.end(chat, conversation, executionId, null);
      throw fault;
    }
  }
}

/** @throws AppError not_found */
async function chatAt(call: Call, slug: string): Promise<ChatDeployment> {
  const chat = await call('workflows.chat', { slug }, { asServiceOf: NO_TENANT });
  if (chat === null) throw new AppError('not_found', 'There is no chat at this address');
  return chat;
}

function textAt(body: JsonObject, field: string): string {
  const value = Object.hasOwn(body, field) ? body[field] : undefined;
  if (typeof value === 'string') return value;
  throw invalid(field, value === undefined ? 'is missing' : 'must be a text');
}

const invalid = (path: string, message: string): AppError =>
  new AppError('invalid_request', `The '${path}' ${message}`, { details: [{ path, message }] });
