import type { KeyboardEvent } from 'react';
import {
  duplicateSteps,
  type Edit,
  type JsonObject,
  type Path,
  pathText,
  placesOf,
  removeSteps,
  samePath,
  shiftSteps,
} from '../../model/document';

/** What the keys of the canvas do, for the help. */
export const KEYS: readonly (readonly [string, string])[] = [
  ['Arrow keys', 'Go to the nearest step; with Shift, select more'],
  ['Enter', 'Open the step, or fill an empty list'],
  ['A, Shift A', 'Add a step after, or before'],
  ['W', 'Wrap the selected steps in a block'],
  ['U', 'Take the steps out of a block'],
  ['Delete', 'Remove the selected steps'],
  ['Alt Up, Alt Down', 'Move the selected steps'],
  ['Ctrl D', 'Duplicate'],
  ['Ctrl C, X, V', 'Copy, cut and paste steps as JSON'],
  ['Ctrl Z, Ctrl Shift Z', 'Undo and redo'],
  ['Ctrl S', 'Save the draft'],
  ['/', 'Find a step'],
  ['Escape', 'Close the panel'],
];

/** The edit of a key of the canvas; null for other keys. */
export function editOfKey(event: KeyboardEvent, document: JsonObject, selection: readonly Path[]): Edit | null {
  const command = event.ctrlKey || event.metaKey;
  if (event.key === 'Delete' || event.key === 'Backspace') return removeSteps(document, selection);
  if (event.altKey && event.key === 'ArrowUp') return shiftSteps(document, selection, -1);
  if (event.altKey && event.key === 'ArrowDown') return shiftSteps(document, selection, 1);
  if (command && event.key.toLowerCase() === 'd') return duplicateSteps(document, selection);
  return null;
}

/** Keys of all steps beside the active one, for "select all". */
export function allBeside(document: JsonObject, active: Path | undefined): string[] {
  const places = placesOf(document);
  const place = places.find(({ path }) => samePath(path, active ?? []));
  return places
    .filter(({ list }) => samePath(list.path, place?.list.path ?? ['steps']))
    .map(({ path }) => pathText(path));
}
