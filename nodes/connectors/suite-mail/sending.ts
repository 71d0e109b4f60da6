import type { JsonObject, Json } from '../../../lib/json';
import type { Outcome } from '../../contract';
import { done, type Failed } from '../../outcome';
import type { ActionContext, CodeAction, Send } from '../contract';
import { urlPath } from '../http/path';
import { flag, outputOf, text } from '../../schema';
import { multipartRelated } from '../suite/multipart';
import { objectAt, withoutUndefined, textAt, listAt } from '../values';
import { replyTo } from './reply';
import { CONTENT, COPIES, MESSAGE_ID, SENDER, SENT, SUBJECT, TO } from './fields';
import { idsOf } from './read';
import { fileContent } from '../file-content';

/** The input of a mail with its attachments in it, those that are files of the run too. @throws InvalidInputError */
async function withAttachments(
  input: JsonObject,
  ctx: ActionContext,
): Promise<{ kind: 'input'; input: JsonObject } | { kind: 'failed'; outcome: Failed }> {
  const attachments: Json[] = [];
  for (const one of listAt(input, 'attachments').map((attachment) => objectAt(attachment))) {
    const content = await fileContent(one, ctx);
    if (content.kind === 'failed') return content;
    attachments.push(
      withoutUndefined({
        filename: one.filename,
        content_base64: Buffer.from(content.bytes).toString('base64'),
        content_type: textAt(one, 'content_type') ?? ('file' in one ? content.type : undefined),
      }),
    );
  }
  return { kind: 'input', input: attachments.length === 0 ? input : { ...input, attachments } };
}

/** Larger messages do not fit into a member of a JSON body, and are uploaded. */
const MAX_JSON_BYTES = 3 * 1024 * 1024;

/** Loaded at its first use: the composer takes a tenth of a second, and most processes need none. */
const compose: typeof import('./compose').compose = (...args) =>
  (require('./compose') as typeof import('./compose')).compose(...args);

/** Where a message goes in, and the form in which it is wrapped there. */
interface Endpoint {
  readonly path: string;
  wrap(message: JsonObject): JsonObject;
}

const SENDING: Endpoint = { path: '/gmail/v1/users/me/messages/send', wrap: (message) => message };
const DRAFTING: Endpoint = { path: '/gmail/v1/users/me/drafts', wrap: (message) => ({ message }) };

const deliver = (send: Send, { path, wrap }: Endpoint, bytes: Buffer, threadId: string | undefined, seed: string) =>
  bytes.length <= MAX_JSON_BYTES
    ? send({ method: 'POST', url: path, body: wrap(withoutUndefined({ raw: bytes.toString('base64url'), threadId })) })
    : send({
        method: 'POST',
        url: `/upload${path}`,
        query: { uploadType: 'multipart' },
        ...multipartRelated(seed, wrap(withoutUndefined({ threadId })), { type: 'message/rfc822', bytes }),
      });

const MESSAGE = { to: TO, ...COPIES, subject: SUBJECT, ...CONTENT, ...SENDER };

const action = (
  words: Pick<CodeAction, 'name' | 'title' | 'description' | 'input' | 'required' | 'output'>,
  run: (input: JsonObject, ctx: ActionContext, send: Send) => Promise<Outcome>,
): CodeAction => ({
  kind: 'code',
  ...words,
  effect: 'write',
  // The provider sends a repeated message again.
  repeatable: false,
  async run(input, _account, ctx, send) {
    const whole = await withAttachments(input, ctx);
    return whole.kind === 'failed' ? whole.outcome : run(whole.input, ctx, send);
  },
});

export const sending: readonly CodeAction[] = [
  action(
    {
      name: 'send',
      title: 'Send an email',
      description: 'Sends an email from the account.',
      input: MESSAGE,
      required: ['to', 'subject'],
      output: SENT,
    },
    async (input, ctx, send) => {
      const sent = await deliver(send, SENDING, await compose(input, ctx), undefined, ctx.idempotencyKey);
      return sent.kind === 'response' ? done(idsOf(sent.response.body)) : sent.outcome;
    },
  ),
  action(
    {
      name: 'reply',
      title: 'Reply to an email',
      description: 'Replies in the thread of a message, to the sender or to all.',
      input: {
        message_id: MESSAGE_ID,
        to_all: flag('Also replies to the other recipients.', { default: false }),
        ...COPIES,
        ...CONTENT,
        ...SENDER,
      },
      required: ['message_id'],
      output: SENT,
    },
    async (input, ctx, send) => {
      const found = await send({
        method: 'GET',
        url: urlPath`/gmail/v1/users/me/messages/${input.message_id}`,
        query: {
          format: 'metadata',
          metadataHeaders: ['From', 'Reply-To', 'To', 'Cc', 'Subject', 'Message-ID', 'References'],
        },
      });
      if (found.kind === 'failed') return found.outcome;
      let own: string | null = null;
      if (input.to_all === true) {
        const profile = await send({ method: 'GET', url: '/gmail/v1/users/me/profile' });
        if (profile.kind === 'failed') return profile.outcome;
        own = textAt(profile.response.body, 'emailAddress') ?? '';
      }
      const { letter, threadId, answered } = replyTo(found.response.body, input, own);
      const bytes = await compose(letter, ctx, answered);
      const sent = await deliver(send, SENDING, bytes, threadId, ctx.idempotencyKey);
      return sent.kind === 'response' ? done(idsOf(sent.response.body)) : sent.outcome;
    },
  ),
  action(
    {
      name: 'create_draft',
      title: 'Create a draft',
      description: 'Creates a draft that a person can review before it is sent.',
      input: { ...MESSAGE, thread_id: text('ID of the thread.', '18c2a4f0b1d2e3f4', { maxLength: 200 }) },
      required: ['to', 'subject'],
      output: outputOf({ id: text('ID of the draft.'), message_id: text('ID of the message of the draft.') }, ['id']),
    },
    async ({ thread_id, ...input }, ctx, send) => {
      const threadId = typeof thread_id === 'string' ? thread_id : undefined;
      const sent = await deliver(send, DRAFTING, await compose(input, ctx), threadId, ctx.idempotencyKey);
      if (sent.kind === 'failed') return sent.outcome;
      const { body } = sent.response;
      return done(withoutUndefined({ id: textAt(body, 'id'), message_id: textAt(objectAt(body, 'message'), 'id') }));
    },
  ),
];
