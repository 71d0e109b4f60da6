import { until } from '../../support/until';

/** Processes start and die in these tests, on machines that have other things to do: waits without a promise are long. */
export const PATIENCE_MS = 40_000;

export const eventually = <T>(what: string, check: () => T | Promise<T>): Promise<NonNullable<T>> =>
  until(what, check, PATIENCE_MS);
