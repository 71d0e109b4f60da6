import type { Turn } from './model';

const MAX_TURNS = 20;
/** Limit of all texts of a history together, in UTF-8. */
const MAX_HISTORY_BYTES = 64 * 1024;
/** Limit of one reply in the history, in UTF-8. Longer replies are truncated. */
const MAX_REPLY_BYTES = 16_000;

/** Appends a turn, and drops the oldest ones over the limits. Pure. */
export function appendTurn(turns: readonly Turn[], turn: Turn): Turn[] {
  const all = [...turns.filter((each) => each.execution_id !== turn.execution_id), truncated(turn)];
  const kept: Turn[] = [];
  let bytes = 0;
  for (const each of all.slice(-MAX_TURNS).reverse()) {
    bytes += Buffer.byteLength(each.said) + Buffer.byteLength(each.reply);
    if (bytes > MAX_HISTORY_BYTES) break;
    kept.unshift(each);
  }
  return kept;
}

/** Turns in the form of `messages` of the steps `llm` and `agent`. */
export const asMessages = (turns: readonly Turn[]): { role: 'user' | 'assistant'; content: string }[] =>
  turns.flatMap(({ said: text, reply }) => [
    { role: 'user' as const, content: text },
    { role: 'assistant' as const, content: reply },
  ]);

/** Truncates the reply. An incomplete character at the end is dropped. */
const truncated = (turn: Turn): Turn =>
  Buffer.byteLength(turn.reply) <= MAX_REPLY_BYTES
    ? turn
    : {
        ...turn,
        reply: new TextDecoder().decode(Buffer.from(turn.reply).subarray(0, MAX_REPLY_BYTES), { stream: true }),
      };
