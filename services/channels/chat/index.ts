import { AppError, errorCode } from '../../../lib/errors';
import { derivedId } from '../../../lib/ids';
import { parseFieldPath, valueAt } from '../../../lib/field-path';
import type { Json, JsonObject } from '../../../lib/json';
import { publicError } from '../../../lib/public-error';
import { NO_TENANT } from '../../../lib/principal';
import type { ActionContext, Handlers } from '../../../mixins/service';
import { isRefusal, maxWaitMs, type StartRun } from '../../../mixins/start-run';
import type { App } from '../../app';
import type { Call } from '../../../contracts/catalogue';
import type { StartResult } from '../../../contracts/executions/views';
import type { ChatDeployment } from '../../../contracts/workflows/chat';
import { Conversations } from './conversations';
import { asMessages } from './history';
import { conversationModel, type ConversationRecord, type Pending, type Turn } from './model';
import { createIndexes } from '../../../lib/indexes';

const MAX_MESSAGE_CHARS = 16_000;
/** A pending message without a run after this time is abandoned: its process has crashed. */
const ABANDONED_MS = 15_000;
const POLL_MS = 100;
const RETRY_AFTER_SECONDS = 2;

type ChatContext = Pick<ActionContext<'channels.chat'>, 'call' | 'requestId' | 'params'>;

/** A message of a visitor. */
interface Message {
  readonly chat: ChatDeployment;
  readonly body: JsonObject;
  readonly text: string;
  readonly executionId: string;
  /** Null for the first message of a conversation. */
  readonly conversationId: string | null;
  /** Deadline of the response, in epoch milliseconds. */
  readonly until: number;
}

/** The actions that serve visitors of chats: messages are handled one at a time in each conversation. */
export function chats(app: App, starts: StartRun) {
  const model = conversationModel(app.db);
  const conversations = new Conversations(model, app.clock);
  const actions: Pick<Handlers<'channels'>, 'chat_door' | 'chat'> = {
    async chat_door({ call, params }) {
      const { id, workflow, allowed_origins, rate_limit, ...chat } = await chatAt(call, params.slug);
      const { title, greeting, input_field, output_field } = chat;
      const config = { title, greeting, input_field, output_field };
      return { id, tenant_id: workflow.tenant_id, config, allowed_origins, rate_limit };
    },
    /**
     * Returns the reply of the message's run.
     * @throws AppError not_found, invalid_request, payload_too_large, workflow_disabled, workflow_pending, unavailable,
     * conflict while an earlier message has no reply, idempotency_mismatch, execution_failed, timed_out
     */
    async chat(ctx) {
      const message = await read(ctx);
      const { chat, executionId } = message;
      await authorize(ctx.call, chat);
      const conversation = await turnFor(ctx.call, message);
      const started = await run(ctx, message, conversation);
      const reply = replyOf(started, chat.output_field);
      const { pending } = conversation;
      if (reply.kind !== 'running' && pending?.execution_id === executionId)
        await conversations.end(chat, conversation, executionId, turnOf(pending, reply));
      const ids = { conversation_id: conversation._id, execution_id: executionId };
      return { answer: responseOf(reply, chat.output_field, ids), replayed: started.replayed };
    },
  };
  return {
    actions,
    createIndexes: () => createIndexes(model),
    purge: (tenantId: string, workflowId: string) => conversations.purge(tenantId, workflowId),
  };

  /** Like `starts.authorize`, but the error does not disclose the names of the workflow's secrets. */
  async function authorize(call: Call, { workflow }: ChatDeployment): Promise<void> {
    try {
      await starts.authorize(call, workflow);
    } catch (fault) {
      if (errorCode(fault) !== 'unknown_secret') throw fault;
      throw new AppError('unavailable', 'This chat is unavailable', undefined, { cause: fault });
    }
  }

  async function read({ call, params }: ChatContext): Promise<Message> {
    const until = app.clock.now() + maxWaitMs(app.config.requestTimeoutMs);
    const chat = await chatAt(call, params.slug);
    const { body, execution_id: executionId } = params;
    const text = textAt(body, chat.input_field);
    if (text.trim() === '') throw invalid(chat.input_field, 'must not be empty');
    if (text.length > MAX_MESSAGE_CHARS)
      throw new AppError('payload_too_large', `A message has at most ${MAX_MESSAGE_CHARS} characters`);
    const conversationId = (body.conversation_id ?? null) === null ? null : textAt(body, 'conversation_id');
    return { chat, body, text, executionId, conversationId, until };
  }

  /** Waits for the turn of the message. Returns its conversation. */
  async function turnFor(call: Call, message: Message): Promise<ConversationRecord> {
    const { chat, conversationId, executionId, until } = message;
    // Derived from the run, so that a repeated first message finds its conversation. It cannot be guessed without the key.
    const id = conversationId ?? derivedId(app.keys.ids, 'conversation', chat.id, executionId);
    for (;;) {
      const found = await conversations.find(chat, id);
      if (found === null && conversationId !== null) throw new AppError('not_found', 'There is no such conversation');
      const hasReply = found?.turns.some((turn) => turn.execution_id === executionId);
      if (found !== null && (hasReply || found.pending?.execution_id === executionId)) return found;
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

  /** Waits for the reply of the pending message. @throws AppError conflict when there is none in time */
  async function wait(call: Call, chat: ChatDeployment, found: ConversationRecord, until: number): Promise<void> {
    const { pending } = found;
    if (pending === null) return;
    const left = Math.max(0, until - app.clock.now());
    const run = await waitForRun(call, chat, pending.execution_id, left);
    if (run === null) {
      // The run may still be starting, or the process that starts it has crashed.
      const abandoned = pending.since.getTime() + ABANDONED_MS <= app.clock.now();
      if (abandoned) return conversations.end(chat, found, pending.execution_id, null);
      if (left > 0) return new Promise((resolve) => app.clock.after(POLL_MS, resolve));
    }
    const reply = run === null ? null : replyOf(run, chat.output_field);
    if (reply !== null && reply.kind !== 'running')
      return conversations.end(chat, found, pending.execution_id, turnOf(pending, reply));
    throw new AppError('conflict', 'An earlier message of this conversation has no reply yet; try again later', {
      retry_after: RETRY_AFTER_SECONDS,
      body: { conversation_id: found._id, execution_id: pending.execution_id },
    });
  }

  /** The state of a run after waiting up to `ms`; null when there is no such run. */
  async function waitForRun(call: Call, chat: ChatDeployment, id: string, ms: number): Promise<StartResult | null> {
    try {
      return await call('executions.settled', { id, wait_ms: ms }, { asServiceOf: chat.workflow.tenant_id });
    } catch (fault) {
      if (errorCode(fault) === 'not_found') return null;
      throw fault;
    }
  }

  /** Starts the run of a message. Ends its turn when the start is refused. */
  async function run(ctx: ChatContext, message: Message, conversation: ConversationRecord): Promise<StartResult> {
    const { chat, body, text, executionId, until } = message;
    const { _id, turns } = conversation;
    try {
      return await starts.start(ctx.call, chat.workflow, {
        type: 'chat',
        trigger: { message: text, conversation_id: _id, history: asMessages(turns), body },
        spread_body: true,
        executionId,
        same: 'body',
        requestId: ctx.requestId,
        waitMs: Math.max(0, until - app.clock.now()),
      });
    } catch (fault) {
      // Another message with the same key: the turn belongs to the first message.
      const isMismatch = errorCode(fault) === 'idempotency_mismatch';
      if (isRefusal(fault) && !isMismatch) await conversations.end(chat, conversation, executionId, null);
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
  throw invalid(field, value === undefined ? 'is missing' : 'must be a string');
}

const invalid = (path: string, message: string): AppError =>
  new AppError('invalid_request', `The '${path}' ${message}`, { details: [{ path, message }] });

/** State of the reply of a run. `silent`: the run ended without a reply. */
type Reply =
  | { readonly kind: 'reply'; readonly value: Json }
  | { readonly kind: 'silent'; readonly reason: string }
  | { readonly kind: 'running' };

/** The reply of a run to its visitor. Pure. */
function replyOf({ status, output, error }: StartResult, outputField: string): Reply {
  switch (status) {
    case 'running':
      return { kind: 'running' };
    case 'failed':
      return { kind: 'silent', reason: publicError(error ?? { code: '' }).message };
    case 'cancelled':
      return { kind: 'silent', reason: 'The run was cancelled' };
    case 'completed': {
      const path = parseFieldPath(outputField);
      const value = path === null ? undefined : valueAt(output, path);
      if (value !== undefined && value !== null) return { kind: 'reply', value };
      return { kind: 'silent', reason: `The run ended without a reply: its output has no ${outputField}` };
    }
  }
}

/** The turn to store in the conversation; null without a reply. */
const turnOf = ({ said: text, execution_id }: Pending, reply: Reply): Turn | null =>
  reply.kind === 'reply' ? { said: text, reply: textOf(reply.value), execution_id } : null;

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** The response to the visitor. @throws AppError execution_failed, timed_out */
function responseOf(
  reply: Reply,
  outputField: string,
  ids: { readonly conversation_id: string; readonly execution_id: string },
): JsonObject {
  switch (reply.kind) {
    case 'reply':
      return { [outputField]: reply.value, reply: reply.value, ...ids };
    case 'silent':
      throw new AppError('execution_failed', reply.reason, { body: { ...ids } });
    case 'running':
      throw new AppError('timed_out', 'The run has not finished yet; request its result later', { body: { ...ids } });
  }
}
