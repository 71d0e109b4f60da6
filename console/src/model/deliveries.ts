import type { Tone } from './status';

/** A body is shown up to this number of bytes; the rest stays at the server. */
const MAX_PREVIEW_BYTES = 64 * 1024;

const VERDICTS: Readonly<Record<string, { readonly tone: Tone; readonly label: string }>> = {
  started: { tone: 'ok', label: 'Started' },
  replayed: { tone: 'neutral', label: 'Repeated' },
  refused: { tone: 'danger', label: 'Refused' },
  ignored: { tone: 'neutral', label: 'Ignored' },
};

/** How the outcome of a delivery is shown. */
export const verdictLook = (outcome: string): { readonly tone: Tone; readonly label: string } =>
  VERDICTS[outcome] ?? { tone: 'neutral', label: outcome };

/** The beginning of a body as text; JSON is indented. `cut`: there is more. */
export function bodyPreview(
  base64: string,
  contentType: string | null,
): { readonly text: string; readonly cut: boolean; readonly binary: boolean } {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  const cut = bytes.length > MAX_PREVIEW_BYTES;
  const text = new TextDecoder().decode(bytes.subarray(0, MAX_PREVIEW_BYTES));
  const binary = text.includes('\u0000');
  return { text: binary ? '' : cut ? text : indented(text, contentType), cut, binary };
}

function indented(text: string, contentType: string | null): string {
  if (contentType?.includes('json') !== true) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
