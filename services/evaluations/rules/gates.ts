import type { ErrorDetail } from '../../../lib/errors';
import type { EvaluationStatus, EvaluationSummary, GateResult } from '../../../contracts/evaluations/views';
import { didYouMean } from '../../../dsl/suggest';

type Comparison = '>=' | '<=' | '>' | '<' | '==';

/** A condition of an evaluation, such as `metrics.exact.mean >= 0.9`. */
interface Gate {
  readonly path: string;
  readonly comparison: Comparison;
  readonly limit: number;
}

const GATE = /^\s*([A-Za-z][\w.-]*)\s*(>=|<=|==|>|<)\s*(-?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?)\s*$/;
const METRIC_VALUES = ['mean', 'pass_rate', 'passed', 'errors'] as const;
const VALUES: Readonly<Record<string, (summary: EvaluationSummary) => number | null>> = {
  score: ({ score }) => score,
  pass_rate: ({ pass_rate }) => pass_rate,
  rows: ({ rows }) => rows,
  passed: ({ passed }) => passed,
  errors: ({ errors }) => errors,
  run_failures: ({ run_failures }) => run_failures,
  tokens: ({ tokens }) => tokens,
  cost_usd: ({ cost_usd }) => cost_usd,
  'latency.mean_ms': ({ latency }) => latency.mean_ms,
  'latency.p50_ms': ({ latency }) => latency.p50_ms,
  'latency.p95_ms': ({ latency }) => latency.p95_ms,
};

/** The faults of gates. Pure. */
export function gateFaults(gates: readonly string[], metrics: readonly string[]): ErrorDetail[] {
  const known = [
    ...Object.keys(VALUES),
    ...metrics.flatMap((name) => METRIC_VALUES.map((value) => `metrics.${name}.${value}`)),
  ];
  return gates.flatMap((text, index): ErrorDetail[] => {
    const path = `gates[${index}]`;
    const gate = readGate(text);
    if (gate === null)
      return [
        {
          path,
          message:
            'must be a value, a comparison and a number, such as "score >= 0.9"; comparisons are >=, <=, >, < and ==',
        },
      ];
    if (known.includes(gate.path)) return [];
    const hint = didYouMean(gate.path, known) ?? `there are ${known.join(', ')}`;
    return [{ path, message: `there is no value ${gate.path}`, hint }];
  });
}

/** Null for a text that is no gate. Pure. */
function readGate(text: string): Gate | null {
  const [, path, comparison, limit] = GATE.exec(text) ?? [];
  if (path === undefined) return null;
  return { path, comparison: comparison as Comparison, limit: Number(limit) };
}

/** The gates for a summary. An evaluation that did not complete passes none. Pure. */
export function gateResults(
  gates: readonly string[],
  summary: EvaluationSummary,
  status: EvaluationStatus,
): GateResult[] {
  return gates.map((text) => {
    const gate = readGate(text);
    const value = gate === null ? null : valueAt(summary, gate.path);
    if (status === 'queued' || status === 'running') return { gate: text, value, passed: null };
    const holds = gate !== null && value !== null && compares(value, gate);
    return { gate: text, value, passed: status === 'completed' && holds };
  });
}

/** Whether every gate passed; null without gates, and before the end. Pure. */
export function allPassed(results: readonly GateResult[]): boolean | null {
  if (results.length === 0 || results.some(({ passed }) => passed === null)) return null;
  return results.every(({ passed }) => passed === true);
}

function valueAt(summary: EvaluationSummary, path: string): number | null {
  if (Object.hasOwn(VALUES, path)) return VALUES[path]?.(summary) ?? null;
  const [, name, value] = /^metrics\.(.+)\.([a-z_]+)$/.exec(path) ?? [];
  const metric = summary.metrics.find((each) => each.name === name);
  const known = METRIC_VALUES.find((each) => each === value);
  return metric === undefined || known === undefined ? null : metric[known];
}

function compares(value: number, { comparison, limit }: Gate): boolean {
  switch (comparison) {
    case '>=':
      return value >= limit;
    case '<=':
      return value <= limit;
    case '>':
      return value > limit;
    case '<':
      return value < limit;
    case '==':
      return value === limit;
  }
}
