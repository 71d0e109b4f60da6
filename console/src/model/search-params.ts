/** The query of an address, as the router gives it: values that look like JSON are parsed. */
export type Search = Readonly<Record<string, unknown>>;

/** A text of the query; undefined when it is missing or empty. */
export function textParam(search: Search, name: string): string | undefined {
  const value = search[name];
  if (typeof value === 'string') return value === '' ? undefined : value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** Reads texts of the query, by their names. */
export const textParams =
  <const N extends string>(...names: readonly N[]) =>
  (search: Search): { readonly [K in N]?: string } =>
    // One for each name.
    Object.fromEntries(names.map((name) => [name, textParam(search, name)])) as { [K in N]?: string };

/** One of some words; undefined for any other. */
export function wordParam<const W extends string>(search: Search, name: string, words: readonly W[]): W | undefined {
  return words.find((word) => word === search[name]);
}

/** A path within the console to go to after the sign-in; undefined for an address elsewhere. */
export function pathParam(search: Search, name: string): string | undefined {
  const path = textParam(search, name);
  return path !== undefined && /^\/(?![/\\])/.test(path) ? path : undefined;
}
