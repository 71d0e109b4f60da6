/** How to treat the given master key, by the keys that have encrypted the data. */
type MasterVerdict =
  /** No record yet: this is the first key. */
  | { readonly kind: 'first' }
  /** The current key. */
  | { readonly kind: 'current' }
  /** A new key, given with the current one: it becomes current. */
  | { readonly kind: 'rotate' }
  /**
   * An earlier key, given with the current one: the process was configured before the rotation. The current key stays
   * in use.
   */
  | { readonly kind: 'retired'; readonly current: string }
  | { readonly kind: 'refused'; readonly why: string };

/**
 * Decides by key ids: `recorded` are those used so far, oldest first; `given` is MASTER_KEY, `others` the previous
 * keys. Rotated-out keys never become current again. Pure.
 */
export function checkMasterKey(recorded: readonly string[], given: string, others: readonly string[]): MasterVerdict {
  const current = recorded.at(-1);
  if (current === undefined) return { kind: 'first' };
  if (given === current) return { kind: 'current' };
  if (others.includes(current)) {
    return recorded.includes(given) ? { kind: 'retired', current } : { kind: 'rotate' };
  }
  const why = recorded.includes(given)
    ? `MASTER_KEY (${given}) was replaced: the data is encrypted with the key ${current}; set MASTER_KEY to that key`
    : `MASTER_KEY (${given}) is not the key that the data is encrypted with (${current}). To rotate, set MASTER_KEY_PREVIOUS to the current key; if it is lost, see docs/keys.md`;
  return { kind: 'refused', why };
}
