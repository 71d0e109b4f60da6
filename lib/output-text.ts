import { parseFieldPath, valueAt } from './field-path';
import type { Json } from './json';

/** `{{ output.a.b }}`. */
const NAMED = /\{\{([^{}]*)\}\}/g;
const OUTPUT = /^\s*output((?:\.[\w-]+|\[(?:-?\d{1,9}|'[^']*'|"[^"]*")\])*)\s*$/;

/** What is wrong with a text that may name outputs of a run; null for a usable one. Pure. */
export function outputTextFault(text: string): string | null {
  for (const [, source = ''] of text.matchAll(NAMED)) {
    if (pathOf(source) === null)
      return `{{${source}}} is no output: only paths such as {{ output.ticket }} are read here`;
  }
  return null;
}

/** True when the text names an output. */
export const namesOutput = (text: string): boolean => text.search(NAMED) >= 0;

/** The text with the named outputs of a run; nothing in place of those that it does not have. Pure. */
export const outputText = (text: string, output: Json): string =>
  text.replace(NAMED, (_all, source: string) => {
    const path = pathOf(source);
    const value = path === null ? undefined : valueAt(output, path);
    if (value === undefined || value === null) return '';
    return typeof value === 'string' ? value : JSON.stringify(value);
  });

/** The path in the output; empty for the whole of it, null for another text. */
function pathOf(source: string): readonly string[] | null {
  const path = OUTPUT.exec(source)?.[1];
  if (path === undefined) return null;
  return path === '' ? [] : parseFieldPath(path.replace(/^\./, ''));
}
