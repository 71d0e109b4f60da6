import { toText, truthy } from '../../../dsl';
import { valueAt } from '../../../lib/field-path';
import type { Json } from '../../../lib/json';
import type { Budget } from '../budget';
import { MAX_SIZE, Refusal } from '../computed';
import type { Name, Part } from './parse';

/** The values of enclosing sections, innermost last, with their positions in lists. */
interface Frame {
  readonly value: Json;
  readonly index: number;
  readonly last: boolean;
  readonly inList: boolean;
}

/** Operations for each part that is put out. */
const PART = 4;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** The text of `&`, `<`, `>` and quotes, safe inside elements and quoted attributes of HTML. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ESCAPES[character] as string);

/** Fills a template. @throws Refusal `too_large` when the text, or the work, grows too large */
export function renderTemplate(
  parts: readonly Part[],
  data: Json,
  escape: (text: string) => string,
  budget: Budget,
): string {
  const pieces: string[] = [];
  let size = 0;
  const put = (piece: string): void => {
    size += piece.length;
    if (size > MAX_SIZE) throw new Refusal('too_large', 'the text would be larger than 1 MiB');
    pieces.push(piece);
  };
  const renderParts = (some: readonly Part[], frames: readonly Frame[]): void => {
    for (const part of some) {
      budget.spend(PART);
      if (part.kind === 'text') put(part.text);
      else if (part.kind === 'section') renderSection(part, frames);
      else {
        const text = toText(lookUp(part.name, frames));
        budget.spend(text.length / 8);
        put(part.raw ? text : escape(text));
      }
    }
  };
  const renderSection = (part: Extract<Part, { kind: 'section' }>, frames: readonly Frame[]): void => {
    const value = lookUp(part.name, frames);
    if (part.inverted) {
      if (!truthy(value)) renderParts(part.parts, frames);
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        budget.spend(PART);
        const last = index === value.length - 1;
        renderParts(part.parts, [...frames, { value: item, index, last, inList: true }]);
      }
    } else if (value === true) {
      // `true` opens a section without changing the context.
      renderParts(part.parts, frames);
    } else if (truthy(value)) {
      renderParts(part.parts, [...frames, { value, index: 0, last: true, inList: false }]);
    }
  };
  renderParts(parts, [{ value: data, index: 0, last: true, inList: false }]);
  return pieces.join('');
}

/** A field of the innermost value that has its first name, own names only; null when none has. */
function lookUp(name: Name, frames: readonly Frame[]): Json {
  if (name.kind === 'item') return frames.at(-1)?.value ?? null;
  if (name.kind !== 'field') {
    const frame = frames.findLast(({ inList }) => inList);
    if (frame === undefined) return null;
    return name.kind === 'index' ? frame.index : name.kind === 'first' ? frame.index === 0 : frame.last;
  }
  for (let depth = frames.length - 1; depth >= 0; depth--) {
    const { value } = frames[depth] as Frame;
    if (valueAt(value, name.path.slice(0, 1)) !== undefined) return valueAt(value, name.path) ?? null;
  }
  return null;
}
