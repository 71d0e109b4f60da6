import { type Edit, insertSteps, type Target } from './edit';
import { pasted } from './clipboard';
import { type JsonObject, parsePath, type Path, pathText, samePath } from './path';
import { listsOf, placesOf } from './walk';

/** The place after or before the last selected step; the end of the main list without one. */
export function targetAt(document: JsonObject, selection: readonly Path[], where: 'after' | 'before'): Target {
  const place = placesOf(document).find(({ path }) => samePath(path, selection.at(-1) ?? []));
  if (place === undefined) {
    return { list: ['steps'], index: Array.isArray(document.steps) ? document.steps.length : 0 };
  }
  return { list: place.list.path, index: place.index + (where === 'after' ? 1 : 0) };
}

/** The edit of a pasted text: its steps after the selection, or its document in place of this one. */
export async function editOfPaste(text: string, document: JsonObject, selection: readonly string[]): Promise<Edit> {
  const value = pasted(await parsedData(text));
  if (value === null)
    return { ok: false, problem: 'The clipboard has no steps: copy steps here, or a workflow as JSON or YAML' };
  if ('document' in value) return { ok: true, document: value.document, select: [] };
  const list = listsOf(document).find(({ path }) => pathText(path) === selection.at(-1))?.path;
  const target = list === undefined ? targetAt(document, selection.map(parsePath), 'after') : { list, index: 0 };
  return insertSteps(document, target, value.steps);
}

/** JSON, or else YAML, whose reader is loaded when it is needed. */
export async function parsedData(text: string): Promise<unknown> {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Not JSON; what is no YAML either is no data.
  }
  const { load } = await import('js-yaml');
  try {
    return load(text);
  } catch {
    return undefined;
  }
}
