import { hmac, sameText } from '../../../lib/crypto';
import { derivedId, isUuid, randomId } from '../../../lib/ids';

/** Bytes of a signature in a token. */
const SIGNATURE_BYTES = 18;
/** A page may be open for so long before it is sent. */
const MAX_PAGE_AGE_MS = 7 * 86_400_000;
/** A person takes longer to fill in a page; programs that send forms do not. */
const MIN_FILL_MS = 1_500;

/** Whether a page may be sent now. */
type PageState =
  | { readonly kind: 'valid'; readonly nonce: string }
  /** Sent sooner than a person could. */
  | { readonly kind: 'early'; readonly nonce: string }
  /** Made for another form, changed, or too old. */
  | { readonly kind: 'invalid' };

/** A token for a page that is shown now. `form`: the id of its workflow. */
export function pageToken(key: Buffer, form: string, now: number): string {
  const content = `${now.toString(36)}.${randomId()}`;
  return `${content}.${signature(key, 'page', form, content)}`;
}

/** Reads the token that a sent page contains. */
export function readPageToken(key: Buffer, form: string, token: string, now: number): PageState {
  const at = token.lastIndexOf('.');
  const content = token.slice(0, Math.max(at, 0));
  if (!sameText(token.slice(at + 1), signature(key, 'page', form, content))) return { kind: 'invalid' };
  const [issued = '', nonce = ''] = content.split('.');
  const age = now - Number.parseInt(issued, 36);
  if (!(age <= MAX_PAGE_AGE_MS)) return { kind: 'invalid' };
  return { kind: age < MIN_FILL_MS ? 'early' : 'valid', nonce };
}

/** The part of an address by which the person who sent a form follows its run. */
export const runKey = (key: Buffer, form: string, executionId: string): string =>
  `${executionId}_${derivedId(key, 'form run', form, executionId)}`;

/** The id of the run; null for a key that was made up. */
export function readRunKey(key: Buffer, form: string, text: string): string | null {
  const [executionId = ''] = text.split('_', 1);
  return isUuid(executionId) && sameText(text, runKey(key, form, executionId)) ? executionId : null;
}

const signature = (key: Buffer, use: string, form: string, content: string): string =>
  hmac(key, `form ${use}\n${form}\n${content}`).subarray(0, SIGNATURE_BYTES).toString('base64url');
