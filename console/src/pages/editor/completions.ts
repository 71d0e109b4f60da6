import { STEP_KEYS } from '../../../../dsl/validation/keywords';
import { configFields } from '../../model/config-form';
import { placeAround, placesOf } from '../../model/document';
import { documentOf } from '../../model/editor-state';
import { pathAt, positionsOf } from '../../model/json-positions';
import { referencesAt } from '../../model/references';
import type { EditorContextValue } from './editor-context';

export interface Completion {
  readonly label: string;
  readonly detail?: string;
  readonly info?: string;
  readonly type?: string;
}

/** What can be written at a position of the text: paths within an expression, types, and keys of a configuration. */
export function completionsAt(
  { state, nodeTypes, sample, typeOf }: EditorContextValue,
  text: string,
  position: number,
): { from: number; options: readonly Completion[] } | null {
  const line = text.slice(text.lastIndexOf('\n', position - 1) + 1, position);
  const document = documentOf(state);
  const expression = /\{\{(?:(?!\}\}).)*$/.exec(line);
  // The text may be invalid while it is typed; the document is the last valid one, and its positions then are near.
  const places = placesOf(document);
  const place = placeAround(places, pathAt(positionsOf(text), position));
  if (expression !== null) {
    const word = /[\w.-]*$/.exec(line)?.[0] ?? '';
    const options = referencesAt(document, place?.id, sample).map(({ path, about }) => ({
      label: path,
      detail: about,
      type: 'variable',
    }));
    return { from: position - word.length, options };
  }
  const type = /"type"\s*:\s*"([\w.-]*)$/.exec(line);
  if (type !== null) {
    const options = [...nodeTypes.keys()].map((label) => ({
      label,
      detail: nodeTypes.get(label)?.title,
      type: 'type',
    }));
    return { from: position - (type[1]?.length ?? 0), options };
  }
  const key = /^\s*"(\w*)$/.exec(line);
  if (key === null || place === undefined) return null;
  const fields = configFields(typeOf(place.type)?.input);
  const options = [
    ...fields.map(({ name, label, hint }) => ({
      label: name,
      detail: label,
      info: hint ?? undefined,
      type: 'property',
    })),
    ...STEP_KEYS.map((label) => ({ label, type: 'keyword' })),
  ];
  return { from: position - (key[1]?.length ?? 0), options };
}
