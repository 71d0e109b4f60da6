import { TimeSlice } from '../time-slices';
import { INTERNAL } from '../fair-scheduler';

/** Approximate length of text passed to `JSON.stringify` at once. */
const PART_LENGTH = 64 * 1024;
/** Members counted between two clock checks. */
const LOOK_EVERY = 1_000;

/**
 * Serializes a value with the result of `JSON.stringify`, in slices of the main thread; undefined for values without
 * JSON. `key`: the tenant or client, as in `fair-scheduler.ts`. The value must not change meanwhile.
 * @throws TypeError for a circular value
 */
export async function stringifyJsonSliced(
  value: unknown,
  partLength = PART_LENGTH,
  key = INTERNAL,
): Promise<string | undefined> {
  const parts: string[] = [];
  for await (const part of jsonParts(value, partLength, key)) parts.push(part);
  return parts.length === 0 ? undefined : parts.join('');
}

/** The same in parts of about 64 KB that never split a character; no parts for values without JSON. */
export async function* jsonParts(value: unknown, partLength = PART_LENGTH, key = INTERNAL): AsyncGenerator<string> {
  const slice = new TimeSlice(key);
  const large = await largeContainers(value, partLength, slice);
  for (const part of textParts(value, large, partLength)) {
    if (slice.due) await slice.pause();
    yield part;
  }
}

type Container = Readonly<Record<string, unknown>> | readonly unknown[];

const isContainer = (value: unknown): value is Container =>
  typeof value === 'object' &&
  value !== null &&
  !('toJSON' in value && typeof value.toJSON === 'function') &&
  !isBoxed(value);

/** `JSON.stringify` unwraps these. */
const isBoxed = (value: object): boolean =>
  value instanceof Number || value instanceof String || value instanceof Boolean || value instanceof BigInt;

const isLongString = (value: unknown, partLength: number): value is string =>
  typeof value === 'string' && value.length > partLength;

/** Walks the value once and returns the arrays and objects whose text is longer than `partLength`, roughly. */
async function largeContainers(root: unknown, partLength: number, slice: TimeSlice): Promise<ReadonlySet<unknown>> {
  interface Frame {
    readonly container: Container;
    readonly keys: readonly string[] | null;
    next: number;
    length: number;
  }
  const large = new Set<unknown>();
  if (!isContainer(root)) return large;
  const frame = (container: Container): Frame => ({
    container,
    keys: Array.isArray(container) ? null : Object.keys(container),
    next: 0,
    length: 2,
  });
  const open = new Set<unknown>([root]);
  const frames = [frame(root)];
  for (let looks = 1; ; looks += 1) {
    if (looks % LOOK_EVERY === 0 && slice.due) await slice.pause();
    const top = frames.at(-1);
    if (top === undefined) return large;
    const index = top.next;
    if (index >= (top.keys ?? (top.container as readonly unknown[])).length) {
      frames.pop();
      open.delete(top.container);
      if (top.length > partLength) large.add(top.container);
      const outer = frames.at(-1);
      if (outer !== undefined) outer.length += top.length;
      continue;
    }
    top.next += 1;
    const key = top.keys?.[index];
    const member =
      key === undefined
        ? (top.container as readonly unknown[])[index]
        : (top.container as Record<string, unknown>)[key];
    top.length += (key?.length ?? -3) + 4;
    if (isContainer(member)) {
      if (open.has(member)) throw new TypeError('Converting circular structure to JSON');
      open.add(member);
      frames.push(frame(member));
    } else top.length += typeof member === 'string' ? member.length + 2 : 6;
  }
}

function* textParts(value: unknown, large: ReadonlySet<unknown>, partLength: number): Generator<string> {
  if (isLongString(value, partLength)) yield* stringParts(value, partLength);
  else if (!large.has(value)) {
    const text = JSON.stringify(value) as string | undefined;
    if (text !== undefined) yield text;
  } else if (Array.isArray(value)) yield* arrayParts(value, large, partLength);
  else yield* objectParts(value as Readonly<Record<string, unknown>>, large, partLength);
}

function* arrayParts(items: readonly unknown[], large: ReadonlySet<unknown>, partLength: number): Generator<string> {
  yield '[';
  const short = new ShortMembers(partLength);
  for (const item of items) {
    if (large.has(item) || isLongString(item, partLength)) {
      yield short.take() + short.separator();
      yield* textParts(item, large, partLength);
    } else if (short.add(shortText(item) ?? 'null')) yield short.take();
  }
  yield `${short.take()}]`;
}

function* objectParts(
  object: Readonly<Record<string, unknown>>,
  large: ReadonlySet<unknown>,
  partLength: number,
): Generator<string> {
  yield '{';
  const short = new ShortMembers(partLength);
  for (const key of Object.keys(object)) {
    const member = object[key];
    if (large.has(member) || isLongString(member, partLength)) {
      yield `${short.take()}${short.separator()}${JSON.stringify(key)}:`;
      yield* textParts(member, large, partLength);
    } else {
      const text = shortText(member);
      if (text !== undefined && short.add(`${JSON.stringify(key)}:${text}`)) yield short.take();
    }
  }
  yield `${short.take()}}`;
}

/** Collects texts of short members. They are joined at once: strings grown by `+=` are slow to read. */
class ShortMembers {
  #texts: string[] = [];
  #length = 0;
  #isFirst = true;

  constructor(private readonly partLength: number) {}

  /** True when they are long enough to flush. */
  add(text: string): boolean {
    this.#texts.push(text);
    this.#length += text.length;
    return this.#length >= this.partLength;
  }

  take(): string {
    if (this.#texts.length === 0) return '';
    const separator = this.separator();
    const text = separator + this.#texts.join(',');
    this.#texts = [];
    this.#length = 0;
    return text;
  }

  /** The comma before the next member, except the first. */
  separator(): string {
    const separator = this.#isFirst ? '' : ',';
    this.#isFirst = false;
    return separator;
  }
}

/** Undefined for values without JSON, such as functions. */
const shortText = (value: unknown): string | undefined =>
  Number.isFinite(value) ? String(value) : JSON.stringify(value);

function* stringParts(text: string, partLength: number): Generator<string> {
  yield '"';
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + partLength);
    // A lone surrogate would be written as an escape.
    if (to < text.length && (text.charCodeAt(to - 1) & 0xfc00) === 0xd800) to += 1;
    yield JSON.stringify(text.slice(from, to)).slice(1, -1);
    from = to;
  }
  yield '"';
}
