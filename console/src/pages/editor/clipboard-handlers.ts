import type { ClipboardEvent } from 'react';
import { copiedText, type Edit, editOfPaste, removeSteps } from '../../model/document';
import { documentOf, type EditorState, selectedPaths } from '../../model/editor-state';
import { toastError } from '../../ui';

const isCanvas = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('[role="listbox"]') !== null;

/** Copy, cut and paste of steps while the canvas has the focus; fields and the code have their own. */
export function clipboardHandlers(state: EditorState, edit: (edit: Edit) => void) {
  const [document, selection] = [documentOf(state), selectedPaths(state)];
  const copy = (event: ClipboardEvent): boolean => {
    if (!isCanvas(event.target) || selection.length === 0) return false;
    event.preventDefault();
    event.clipboardData.setData('text/plain', copiedText(document, selection));
    return true;
  };
  return {
    onCopy: (event: ClipboardEvent): void => void copy(event),
    onCut: (event: ClipboardEvent): void => {
      if (copy(event)) edit(removeSteps(document, selection));
    },
    onPaste: (event: ClipboardEvent): void => {
      if (!isCanvas(event.target)) return;
      event.preventDefault();
      editOfPaste(event.clipboardData.getData('text/plain'), document, state.selection).then(edit, toastError);
    },
  };
}
