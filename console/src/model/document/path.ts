/** A workflow document or a part of it, as JSON. Any object may be edited: the server says whether it is valid. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Keys and indexes from the document down to a value: `['steps', 2, 'cases', 0, 'steps']`. */
export type Path = readonly (string | number)[];

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const PLAIN_KEY = /^[A-Za-z_$][\w$]*$/;

/** A path as the messages of the server write it: `steps[2].cases[0].steps`. */
export const pathText = (path: Path): string =>
  path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    if (!PLAIN_KEY.test(key)) return `${text}[${JSON.stringify(key)}]`;
    return text === '' ? key : `${text}.${key}`;
  }, '');

const SEGMENT = /\.?([A-Za-z_$][\w$]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/y;

/** The path that a text names. What follows a part that is none is left out. */
export function parsePath(text: string): Path {
  const path: (string | number)[] = [];
  SEGMENT.lastIndex = 0;
  for (;;) {
    const match = SEGMENT.exec(text);
    if (match === null) return path;
    const [, key, index, quoted] = match;
    if (key !== undefined) path.push(key);
    else if (index !== undefined) path.push(Number(index));
    else path.push(JSON.parse(quoted ?? '""') as string);
  }
}

/** The value at a path; undefined where there is none. */
export function valueAt(root: unknown, path: Path): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string | number, unknown>)[key];
  }
  return value;
}

/** A copy with another value at a path. Keys keep their order; a new key comes last. Missing objects are made. */
export function withValue(root: unknown, path: Path, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(root) && typeof key === 'number') {
    const copy: unknown[] = [...(root as readonly unknown[])];
    copy[key] = withValue(copy[key], rest, value);
    return copy;
  }
  const held = isObject(root) ? root : {};
  return withMember(held, String(key), withValue(Object.hasOwn(held, key) ? held[key] : undefined, rest, value));
}

/** A copy with another value of one key. A key named `__proto__` is one like others. */
function withMember(object: JsonObject, key: string, value: unknown): JsonObject {
  return Object.fromEntries(
    Object.hasOwn(object, key)
      ? Object.entries(object).map(([name, old]) => [name, name === key ? value : old])
      : [...Object.entries(object), [key, value]],
  );
}

/** A copy without the key or the item at a path. */
export function withoutValue(root: unknown, path: Path): unknown {
  const key = path.at(-1);
  const holder = valueAt(root, path.slice(0, -1));
  if (key === undefined || typeof holder !== 'object' || holder === null) return root;
  const left = Array.isArray(holder)
    ? holder.filter((_item, index) => index !== key)
    : Object.fromEntries(Object.entries(holder).filter(([name]) => name !== key));
  return withValue(root, path.slice(0, -1), left);
}

/** Whether a path is another one or leads into its value. */
export const isWithin = (path: Path, outer: Path): boolean =>
  outer.length <= path.length && outer.every((key, index) => path[index] === key);

export const samePath = (a: Path, b: Path): boolean => a.length === b.length && isWithin(a, b);
