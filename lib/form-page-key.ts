import { sameText } from './crypto';
import { derivedId, isUuid } from './ids';

const UUID_CHARS = 36;
/** `#` separates the number of a repeated question, and has a meaning in addresses. */
const inAddress = (question: string): string => question.replaceAll('#', '~');

/**
 * The part of an address that opens the page of one `wait_for_form` step. `question`: the address of the step, with the
 * number of a repeated question (`ask.3`, `ask#2`).
 */
export const formStepKey = (key: Buffer, executionId: string, question: string): string =>
  `${executionId}_${inAddress(question)}_${derivedId(key, 'form step', executionId, question)}`;

/** What a key opens; null for one that was made up. */
export function readFormStepKey(key: Buffer, text: string): { executionId: string; question: string } | null {
  const executionId = text.slice(0, UUID_CHARS);
  const question = text.slice(UUID_CHARS + 1, -UUID_CHARS - 1).replaceAll('~', '#');
  if (!isUuid(executionId) || question === '') return null;
  return sameText(text, formStepKey(key, executionId, question)) ? { executionId, question } : null;
}

/** The part of an address by which a person follows a run that another trigger than a form has started. */
export const formRunKey = (key: Buffer, executionId: string): string =>
  `${executionId}_${derivedId(key, 'form pages', executionId)}`;

/** The id of the run; null for a key that was made up. */
export function readFormRunKey(key: Buffer, text: string): string | null {
  const executionId = text.slice(0, UUID_CHARS);
  return isUuid(executionId) && sameText(text, formRunKey(key, executionId)) ? executionId : null;
}
