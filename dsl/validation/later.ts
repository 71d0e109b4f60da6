/**
 * Words of the language that this version cannot run yet. They are refused by name, never silently accepted.
 * Once the machinery behind a word is there, its row goes.
 */
const LATER: readonly { where: 'document' | 'step' | 'type' | 'trigger' | 'value'; word: string; instead?: string }[] =
  [
    { where: 'document', word: 'triggers', instead: 'write one trigger: {"type": ...}' },
    { where: 'document', word: 'on_error', instead: 'set on_error: "continue" on single steps' },
    { where: 'document', word: 'inputs' },
    { where: 'step', word: 'needs', instead: 'steps run in the order of the list' },
    { where: 'step', word: 'compensate' },
    { where: 'step', word: 'cache' },
    { where: 'step', word: 'pin' },
    { where: 'value', word: 'on_error', instead: 'write "fail" or "continue"' },
    { where: 'type', word: 'branch', instead: 'give each step an if' },
    { where: 'type', word: 'parallel' },
    { where: 'type', word: 'foreach' },
    { where: 'type', word: 'while' },
    { where: 'type', word: 'try', instead: 'set on_error: "continue" on the step' },
    { where: 'trigger', word: 'schedule' },
    { where: 'trigger', word: 'http_poll' },
    { where: 'trigger', word: 'rss' },
    { where: 'trigger', word: 'email' },
    { where: 'trigger', word: 'suite_mail' },
    { where: 'trigger', word: 'suite_sheet' },
    { where: 'trigger', word: 'suite_calendar' },
    { where: 'trigger', word: 'notes_database' },
    { where: 'trigger', word: 'chat_message' },
    { where: 'trigger', word: 'messaging-a' },
    { where: 'trigger', word: 'messaging-b' },
    { where: 'trigger', word: 'chat' },
    { where: 'trigger', word: 'billing_event' },
    { where: 'trigger', word: 'voice_event' },
    { where: 'trigger', word: 'signal' },
    { where: 'trigger', word: 'workflow_completed' },
    { where: 'trigger', word: 'error' },
  ];

/** Why a word is refused, in a message and a hint; null when this version has it. */
export function notYet(
  where: 'document' | 'step' | 'type' | 'trigger' | 'value',
  word: string,
): { message: string; hint?: string } | null {
  const row = LATER.find((each) => each.where === where && each.word === word);
  if (row === undefined) return null;
  const subject = where === 'value' ? `steps in ${word} are` : `${word} is`;
  const hint = row.instead ?? (where === 'trigger' ? 'use manual or http' : undefined);
  return { message: `${subject} not available in this version`, hint };
}
