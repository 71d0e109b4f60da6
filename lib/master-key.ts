/** What becomes of the master key that a process was given, going by those that the data has been sealed under. */
export type MasterVerdict =
  /** There is no record yet: this key is the first. */
  | { readonly kind: 'first' }
  /** The key that is in use. */
  | { readonly kind: 'current' }
  /** A new key, given together with the one in use: from now on it seals. */
  | { readonly kind: 'rotate' }
  /** An earlier key, given together with the one in use, which goes on sealing: a process of before the rotation. */
  | { readonly kind: 'retired'; readonly current: string }
  | { readonly kind: 'refused'; readonly why: string };

/**
 * Decides by ids of keys: `recorded` are those that have been in use, oldest first; `given` is MASTER_KEY, `others`
 * what is known besides. A rotation goes one way: keys that were retired do not come back. Pure.
 */
export function judgeMaster(recorded: readonly string[], given: string, others: readonly string[]): MasterVerdict {
  const current = recorded.at(-1);
  if (current === undefined) return { kind: 'first' };
  if (given === current) return { kind: 'current' };
  if (others.includes(current)) {
    return recorded.includes(given) ? { kind: 'retired', current } : { kind: 'rotate' };
  }
  const why = recorded.includes(given)
    ? `MASTER_KEY (${given}) was replaced: the data is sealed under the key ${current}; set MASTER_KEY to that one`
    : `MASTER_KEY (${given}) is not the key that the data is sealed under (${current}). If it is to take that one's place, put that one into MASTER_KEY_PREVIOUS; if that one is lost, see docs/keys.md`;
  return { kind: 'refused', why };
}
