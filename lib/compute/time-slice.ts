/** How long a slice may hold the main thread. */
const SLICE_MS = 10;
/** Operations between two clock checks. */
const OPERATIONS_PER_LOOK = 2_048;
/** Approximate duration of an operation, in milliseconds. */
const OPERATION_MS = 50e-6;

/** Ends work whose slice is over. Only `sliceWork` may catch it. */
class SliceOver extends Error {}

let until = Number.POSITIVE_INFINITY;
let operations = 0;
let counted = 0;

/**
 * Counts the operations (about 50 ns each) of the pure work that follows. Inside `sliceWork` it ends the work when its
 * slice is over or would be exceeded; elsewhere it does nothing. Called in loops over user-controlled input, and before
 * work that cannot be interrupted.
 */
export function tick(count: number): void {
  if (until === Number.POSITIVE_INFINITY) return;
  operations += count;
  counted += count;
  if (operations < OPERATIONS_PER_LOOK) return;
  operations = 0;
  if (performance.now() + count * OPERATION_MS > until) throw new SliceOver();
}

/** Total operations counted inside slices. The difference of two readings is the work between them. */
export const operationsCounted = (): number => counted;

type Sliced<T> = { readonly kind: 'done'; readonly value: T } | { readonly kind: 'too_long' };

/**
 * Runs pure, synchronous work that calls `tick`, unless it exceeds a slice: then the caller runs the same work on a
 * compute thread. What the work returns or throws does not depend on the clock.
 */
export function sliceWork<T>(work: () => T, ms = SLICE_MS): Sliced<T> {
  const outer = until;
  const own = performance.now() + ms;
  until = Math.min(outer, own);
  try {
    return { kind: 'done', value: work() };
  } catch (fault) {
    // A nested slice may end the one around it.
    if (fault instanceof SliceOver && own <= outer) return { kind: 'too_long' };
    throw fault;
  } finally {
    until = outer;
  }
}
