import { badValue, failedToParse } from '../bson/error';
import { type Doc, isDoc, type Value } from '../bson/value';
import { compileFilter } from '../query/matcher';

/** Array filters by identifier; each tests one element. */
export type ArrayFilters = ReadonlyMap<string, (element: Value) => boolean>;

/** @throws ServerError FailedToParse or BadValue for a filter without exactly one identifier */
export function compileArrayFilters(filters: readonly Value[]): ArrayFilters {
  const compiled = new Map<string, (element: Value) => boolean>();
  for (const filter of filters) {
    if (!isDoc(filter)) throw failedToParse('each array filter must be an object');
    const identifier = identifierOf(filter);
    if (compiled.has(identifier))
      throw failedToParse(`Found multiple array filters with the same top-level field name ${identifier}`);
    const matches = compileFilter(filter);
    compiled.set(identifier, (element) => matches(new Map([[identifier, element]])));
  }
  return compiled;
}

function identifierOf(filter: Doc): string {
  const names = new Set(topLevelNames(filter));
  const [name, other] = names;
  if (name === undefined)
    throw failedToParse('Cannot use an expression without a top-level field name in arrayFilters');
  if (other !== undefined)
    throw failedToParse(
      `Error parsing array filter: Expected a single top-level field name, found '${name}' and '${other}'`,
    );
  if (!/^[a-z][a-zA-Z0-9]*$/.test(name)) {
    throw badValue(
      `Error parsing array filter: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${name}'`,
    );
  }
  return name;
}

function topLevelNames(filter: Doc): string[] {
  return [...filter].flatMap(([name, value]) => {
    if (!name.startsWith('$')) return [name.split('.', 1)[0] as string];
    return Array.isArray(value) ? value.filter(isDoc).flatMap(topLevelNames) : [];
  });
}

/** @throws ServerError when a path uses an unknown filter, or a filter is unused */
export function assertFiltersUsed(filters: ArrayFilters, paths: readonly (readonly string[])[]): void {
  const used = new Set<string>();
  for (const path of paths) {
    for (const part of path) {
      const identifier = /^\$\[(.+)\]$/.exec(part)?.[1];
      if (identifier === undefined) continue;
      if (!filters.has(identifier))
        throw badValue(`No array filter found for identifier '${identifier}' in path '${path.join('.')}'`);
      used.add(identifier);
    }
  }
  for (const identifier of filters.keys()) {
    if (!used.has(identifier))
      throw failedToParse(`The array filter for identifier '${identifier}' was not used in the update`);
  }
}
