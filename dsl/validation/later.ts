/**
 * Words of the language that this version cannot run yet. They are refused by name, never silently accepted.
 * Once the machinery behind a word is there, its row goes.
 */
const LATER: readonly { where: 'document' | 'step' | 'type' | 'trigger' | 'value'; word: string; instead?: string }[] =
  [
    { where: 'document', word: 'triggers', instead: 'write one trigger: {"type": ...}' },
    { where: 'document', word: 'on_error', instead: 'set on_error: "continue" on single steps' },
    { where: 'document', word: 'concurrency' },
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
    { where: 'type', word: 'sub_workflow' },
    ...[
      'schedule',
      'http_poll',
      'rss',
      'email',
      'suite_mail',
      'suite_sheet',
      'suite_calendar',
      'notes_database',
      'chat_message',
      'messaging-a',
      'messaging-b',
      'chat',
      'billing_event',
      'voice_event',
      'signal',
      'workflow_completed',
      'error',
    ].map((word) => ({ where: 'trigger' as const, word, instead: 'use manual or http' })),
  ];

/** Why a word is refused, in a message and a hint; null when this version has it. */
export function notYet(
  where: 'document' | 'step' | 'type' | 'trigger' | 'value',
  word: string,
): { message: string; hint?: string } | null {
  const row = LATER.find((each) => each.where === where && each.word === word);
  if (row === undefined) return null;
  const subject = where === 'value' ? `steps in ${word} are` : `${word} is`;
  return { message: `${subject} not available in this version`, hint: row.instead };
}
