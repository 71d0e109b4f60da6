import type { TraceContext } from './context';

/** Which traces are exported, in the terms of OTEL_TRACES_SAMPLER. `ratio` is from 0 to 1. */
export type Sampler =
  | { readonly kind: 'always_on' }
  | { readonly kind: 'always_off' }
  | { readonly kind: 'ratio'; readonly ratio: number }
  /** The decision of the parent; `root` decides without one. */
  | { readonly kind: 'parent'; readonly root: Exclude<Sampler, { kind: 'parent' }> };

/** These digits of the trace id are compared, so that all processes decide alike. */
const DIGITS = 13;
const RANGE = 16 ** DIGITS;

/** True when the spans of a trace are exported. Pure. */
export function isSampled(sampler: Sampler, traceId: string, parent: TraceContext | null): boolean {
  switch (sampler.kind) {
    case 'always_on':
      return true;
    case 'always_off':
      return false;
    case 'ratio':
      // The last digits: some systems put the time into the first ones.
      return Number.parseInt(traceId.slice(-DIGITS), 16) < sampler.ratio * RANGE;
    case 'parent':
      return parent?.sampled ?? isSampled(sampler.root, traceId, null);
  }
}
