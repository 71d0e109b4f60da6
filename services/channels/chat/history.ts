import type { Turn } from './model';

const MOST_TURNS = 20;
/** Of all texts together, in UTF-8. */
const MOST_BYTES = 64 * 1024;
/** Longest reply that is remembered, in UTF-8; models write more, and nobody needs all of it again. */
const LONGEST_REPLY = 16_000;

/** The last turns, as many as are given to the next message. Pure. */
export function remembered(turns: readonly Turn[], turn: Turn): Turn[] {
  const all = [...turns.filter((each) => each.execution_id !== turn.execution_id), shortened(turn)];
  const kept: Turn[] = [];
  let bytes = 0;
  for (const each of all.slice(-MOST_TURNS).reverse()) {
    bytes += Buffer.byteLength(each.said) + Buffer.byteLength(each.reply);
    if (bytes > MOST_BYTES) break;
    kept.unshift(each);
  }
  return kept;
}

/** Turns as language models take them: `messages` of the steps `llm` and `agent`. */
export const asMessages = (turns: readonly Turn[]): { role: 'user' | 'assistant'; content: string }[] =>
  turns.flatMap(({ said, reply }) => [
    { role: 'user' as const, content: said },
    { role: 'assistant' as const, content: reply },
  ]);

/** Not in the middle of a character: what is not whole at the end is left out. */
const shortened = (turn: Turn): Turn =>
  Buffer.byteLength(turn.reply) <= LONGEST_REPLY
    ? turn
    : {
        ...turn,
        reply: new TextDecoder().decode(Buffer.from(turn.reply).subarray(0, LONGEST_REPLY), { stream: true }),
      };
