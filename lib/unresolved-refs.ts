/** Condition for records whose id or name is one of the refs. */
interface RefCondition {
  readonly $or: [{ _id: { $in: string[] } }, { name: { $in: string[] } }];
}

/** Returns the refs that are neither the id nor the name of a record that `find` returns. */
export async function unresolvedRefs(
  refs: readonly string[],
  find: (condition: RefCondition) => Promise<readonly { readonly _id: string; readonly name: string }[]>,
): Promise<string[]> {
  const refersTo = { $in: [...refs] };
  const found = await find({ $or: [{ _id: refersTo }, { name: refersTo }] });
  const existing = new Set(found.flatMap(({ _id, name }) => [_id, name]));
  return refs.filter((ref) => !existing.has(ref));
}
