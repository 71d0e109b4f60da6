export { countModels } from './models';
export { createRegistry, type Metrics, type Registry, SILENT_METRICS } from './registry';
export { METRICS } from './table';

/** Prometheus' unit of time, of milliseconds. */
export const secondsOf = (ms: number): number => ms / 1_000;
