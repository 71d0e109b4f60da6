import { until } from '../../support/until';

/** Processes start and die in these tests, on busy machines: waits without a specified limit are long. */
export const MAX_WAIT_MS = 40_000;

export const eventually = <T>(what: string, check: () => T | Promise<T>): Promise<NonNullable<T>> =>
  until(what, check, MAX_WAIT_MS);
