import type { Outgoing } from './talk';

export interface Message {
  readonly from: 'visitor' | 'chat';
  readonly text: string;
}

/** A conversation as this tab knows it. */
export interface Kept {
  readonly conversation: string | null;
  readonly messages: readonly Message[];
  /** Sent, and without a reply. */
  readonly pending: Outgoing | null;
}

export const NOTHING_KEPT: Kept = { conversation: null, messages: [], pending: null };

const MAX_KEPT_MESSAGES = 100;
const MAX_KEPT_CHARS = 500_000;

const keyOf = (slug: string): string => `everstep.chat.${slug}`;

/** The conversation of this tab; null where the browser keeps nothing for the page, as for frames of other sites. */
export function readKept(slug: string): Kept | null {
  try {
    return parseKept(sessionStorage.getItem(keyOf(slug)));
  } catch {
    return null;
  }
}

/** A conversation as text; nothing for a text that is none. */
export function parseKept(text: string | null): Kept {
  try {
    return keptOf(JSON.parse(text ?? 'null'));
  } catch {
    return NOTHING_KEPT;
  }
}

/** Keeps the last messages. Where the browser refuses that, `elsewhere` gets them as text. */
export function keep(slug: string, kept: Kept, elsewhere: (text: string) => void): void {
  const messages = kept.messages.slice(-MAX_KEPT_MESSAGES);
  let chars = messages.reduce((sum, { text }) => sum + text.length, 0);
  while (chars > MAX_KEPT_CHARS) chars -= messages.shift()?.text.length ?? chars;
  const text = JSON.stringify({ ...kept, messages });
  try {
    sessionStorage.setItem(keyOf(slug), text);
  } catch {
    elsewhere(text);
  }
}

function keptOf(value: unknown): Kept {
  if (!isObject(value)) return NOTHING_KEPT;
  const messages = Array.isArray(value.messages) ? value.messages.filter(isMessage) : [];
  const conversation = typeof value.conversation === 'string' ? value.conversation : null;
  return { conversation, messages, pending: isOutgoing(value.pending) ? value.pending : null };
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const isMessage = (value: unknown): value is Message =>
  isObject(value) && (value.from === 'visitor' || value.from === 'chat') && typeof value.text === 'string';

const isOutgoing = (value: unknown): value is Outgoing =>
  isObject(value) &&
  typeof value.text === 'string' &&
  typeof value.key === 'string' &&
  (value.conversation === null || typeof value.conversation === 'string');
