import { createParser } from 'eventsource-parser';

/** A message as it is sent. A repetition sends the same, so that it gets the reply of the same run. */
export interface Outgoing {
  readonly text: string;
  /** Null for the first message of a conversation. */
  readonly conversation: string | null;
  /** The `Idempotency-Key`. */
  readonly key: string;
}

export type Outcome =
  | { readonly kind: 'reply'; readonly text: string; readonly conversation: string }
  | {
      readonly kind: 'fault';
      readonly message: string;
      /** What helps: the same message once more, with the same key or another one; a new conversation; nothing. */
      readonly next: 'repeat' | 'resend' | 'restart' | null;
    };

export interface Chat {
  readonly slug: string;
  /** The member of the body that contains the message. */
  readonly input: string;
}

type Answer = Readonly<Record<string, unknown>>;

/** Messages about errors, by their code. */
const FAULTS: Readonly<Record<string, Omit<Extract<Outcome, { kind: 'fault' }>, 'kind'>>> = {
  rate_limited: { message: 'These are many messages. Wait a moment, then try again.', next: 'repeat' },
  conflict: { message: 'The message before has no reply yet. Try again in a moment.', next: 'repeat' },
  timed_out: { message: 'The reply takes longer than usual. Try again to get it.', next: 'repeat' },
  execution_failed: { message: 'There is no reply to this message.', next: 'resend' },
  not_found: { message: 'This conversation has ended.', next: 'restart' },
  workflow_disabled: { message: 'This chat is closed at the moment.', next: 'repeat' },
  workflow_pending: { message: 'This chat is closed at the moment.', next: 'repeat' },
  payload_too_large: { message: 'The message is too long.', next: null },
  forbidden: { message: 'This chat cannot be used on this page.', next: null },
};
const OTHER = { message: 'The message could not be answered.', next: 'repeat' } as const;
const OFFLINE = { message: 'The connection failed. Check it, then try again.', next: 'repeat' } as const;

/** Sends a message. `onText` is called with the reply as far as it is there. Never rejects. */
export async function talk(chat: Chat, message: Outgoing, onText: (text: string) => void): Promise<Outcome> {
  try {
    // The generated client knows all operations, which is too much for a page of visitors.
    // oxlint-disable-next-line no-restricted-globals
    const response = await fetch(`/public/chat/${encodeURIComponent(chat.slug)}`, {
      method: 'POST',
      headers: {
        accept: 'text/event-stream',
        'content-type': 'application/json',
        'idempotency-key': message.key,
      },
      body: JSON.stringify({
        [chat.input]: message.text,
        ...(message.conversation === null ? {} : { conversation_id: message.conversation }),
      }),
    });
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    if (isStream && response.body !== null) return await streamed(response.body, onText);
    const answer = objectOf(await response.json());
    return response.ok ? reply(answer) : fault(answer);
  } catch {
    return { kind: 'fault', ...OFFLINE };
  }
}

async function streamed(body: ReadableStream<Uint8Array>, onText: (text: string) => void): Promise<Outcome> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let end: Outcome | null = null;
  const parser = createParser({
    onEvent: ({ event, data }) => {
      const answer = objectOf(JSON.parse(data));
      if (event === 'reply') end = reply(answer);
      else if (event === 'error') end = fault(answer);
      else {
        text = event === 'reset' ? '' : text + String(answer.text ?? '');
        onText(text);
      }
    },
  });
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return end ?? { kind: 'fault', ...OFFLINE };
    parser.feed(decoder.decode(value, { stream: true }));
    if (end !== null) {
      await reader.cancel();
      return end;
    }
  }
}

const objectOf = (value: unknown): Answer => (typeof value === 'object' && value !== null ? (value as Answer) : {});

const reply = ({ reply: value, conversation_id: id }: Answer): Outcome => ({
  kind: 'reply',
  text: typeof value === 'string' ? value : JSON.stringify(value, null, 2),
  conversation: String(id),
});

const fault = ({ code }: Answer): Outcome => ({
  kind: 'fault',
  ...((typeof code === 'string' && Object.hasOwn(FAULTS, code) ? FAULTS[code] : undefined) ?? OTHER),
});

/** Also where `randomUUID` is missing: on pages without TLS. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
