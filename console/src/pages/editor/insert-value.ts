type TextControl = HTMLTextAreaElement | HTMLInputElement;

let last: TextControl | null = null;

/** Remembers the control that was edited last, so that a value can be put into it. */
export const rememberField = (control: TextControl): void => {
  last = control;
};

/** Puts a text at the cursor of the last control; false when there is none on the page any more. */
export function insertText(text: string): boolean {
  if (last === null || !last.isConnected) return false;
  const { selectionStart, selectionEnd, value } = last;
  last.setRangeText(text, selectionStart ?? value.length, selectionEnd ?? value.length, 'end');
  last.dispatchEvent(new Event('input', { bubbles: true }));
  last.focus();
  return true;
}
