import { type MetricDraft, metricOf } from './metric-form';

/** The output of a step that does not run, as it is written. */
export interface PinDraft {
  readonly step: string;
  readonly output: string;
}

/** The form of a new evaluation: values of the named fields, metrics and pins. */
interface EvaluationForm {
  readonly values: Readonly<Record<string, string>>;
  readonly metrics: readonly MetricDraft[];
  readonly pins: readonly PinDraft[];
}

const WRITES = ['suppress', 'pinned', 'allow'] as const;

/** The request that the form makes; what is empty is left out. @throws Error naming a field of a metric or a pin */
export function evaluationOf({ values, metrics, pins }: EvaluationForm) {
  const { name = '', tag = '', gates = '', cost_usd = '', tokens = '' } = values;
  const { concurrency = '', row_timeout_seconds: timeout = '' } = values;
  const budget = {
    ...(cost_usd === '' ? {} : { cost_usd: Number(cost_usd) }),
    ...(tokens === '' ? {} : { tokens: Number(tokens) }),
  };
  const lines = gates.split('\n').filter((line) => line.trim() !== '');
  return {
    workflow_id: values.workflow_id ?? '',
    dataset_id: values.dataset_id ?? '',
    version: versionOf(values.version),
    writes: WRITES.find((word) => word === values.writes) ?? 'suppress',
    metrics: metrics.map(metricOf),
    concurrency: Number(concurrency),
    ...(timeout === '' ? {} : { row_timeout_seconds: Number(timeout) }),
    ...(name.trim() === '' ? {} : { name }),
    ...(tag === '' ? {} : { tag }),
    ...(pins.length === 0 ? {} : { pins: pinsOf(pins) }),
    ...(lines.length === 0 ? {} : { gates: lines }),
    ...(Object.keys(budget).length === 0 ? {} : { budget }),
  };
}

const versionOf = (text = 'live'): 'live' | 'draft' | number =>
  text === 'live' || text === 'draft' ? text : Number(text);

function pinsOf(pins: readonly PinDraft[]): Record<string, Record<string, unknown>> {
  const made = new Map<string, Record<string, unknown>>();
  for (const { step, output } of pins) {
    if (step === '') throw new Error('Choose the step of each pinned output');
    if (made.has(step)) throw new Error(`The step ${step} is pinned twice`);
    made.set(step, outputOf(step, output));
  }
  return Object.fromEntries(made);
}

function outputOf(step: string, text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new Error(`The output of ${step} is not valid JSON: ${(cause as Error).message}`, { cause });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`The output of ${step} must be a JSON object, such as {"status": 200}`);
  return value as Record<string, unknown>;
}
