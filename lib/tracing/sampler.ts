import type { TraceContext } from './context';

/** Which traces are told, by the words of OTEL_TRACES_SAMPLER. `ratio` is from 0 to 1. */
export type Sampler =
  | { readonly kind: 'always_on' }
  | { readonly kind: 'always_off' }
  | { readonly kind: 'ratio'; readonly ratio: number }
  /** As the parent says; `root` decides where there is none. */
  | { readonly kind: 'parent'; readonly root: Exclude<Sampler, { kind: 'parent' }> };

/** Of the trace's id these digits are compared, so that all processes decide the same. */
const DIGITS = 13;
const ALL = 16 ** DIGITS;

/** Whether the spans of a trace are told. Pure. */
export function isSampled(sampler: Sampler, traceId: string, parent: TraceContext | null): boolean {
  switch (sampler.kind) {
    case 'always_on':
      return true;
    case 'always_off':
      return false;
    case 'ratio':
      // The last digits: of the first ones, some systems make the time.
      return Number.parseInt(traceId.slice(-DIGITS), 16) < sampler.ratio * ALL;
    case 'parent':
      return parent?.sampled ?? isSampled(sampler.root, traceId, null);
  }
}
