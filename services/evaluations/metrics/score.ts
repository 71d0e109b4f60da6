import { randomBytes } from 'node:crypto';
import { compileSource, ExpressionError, renderSliced } from '../../../dsl';
import { type Compute, ComputeError } from '../../../lib/compute';
import { assertNotRetryable } from '../../../lib/compute/unavailable';
import { errorMessage } from '../../../lib/errors';
import type { Json } from '../../../lib/json';
import { checkSliced } from '../../../lib/json-schema/check-sliced';
import { type Sandbox, SandboxAborted } from '../../../lib/sandbox';
import type { MetricResult } from '../../../contracts/evaluations/views';
import { type Metric, type MetricOf, type Subject, SUBJECT_NAMES } from './definition';
import { MetricFault } from './fault';
import { type Score, scoreContains, scoreEquals, scoreLimit, scoreNumber, scoreSubset } from './exact';

/** What metrics need of the process. */
export interface MetricWorld {
  readonly compute: Compute;
  readonly sandbox: Sandbox;
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly judge: (metric: MetricOf<'judge'>, subject: Subject) => Promise<Judged>;
}

/** What a judge says, and what it has used. */
export interface Judged extends Score {
  readonly tokens: number;
  readonly cost_usd: number;
}

/** A result, and what a judge has used for it. */
export interface ScoredMetric {
  readonly result: MetricResult;
  readonly tokens: number;
  readonly cost_usd: number;
}

/** Metrics that see why a run did not complete; all others are 0 then. */
const OF_FAILED_RUNS: ReadonlySet<string> = new Set(['expression', 'code']);
const MAX_REASON_CHARS = 2_000;

/**
 * The score of a metric. A metric that cannot be evaluated has an error and the score 0.
 * @throws AppError unavailable, SandboxAborted: the work may be repeated
 */
export async function scoreMetric(world: MetricWorld, metric: Metric, subject: Subject): Promise<ScoredMetric> {
  const { name, threshold, type } = metric;
  const nothing = { tokens: 0, cost_usd: 0 };
  const failed = (error: string): ScoredMetric => ({
    result: { name, score: 0, passed: false, error: error.slice(0, MAX_REASON_CHARS), reason: null },
    ...nothing,
  });
  if (subject.run.status !== 'completed' && !OF_FAILED_RUNS.has(type))
    return failed(`the run did not complete: ${subject.run.error ?? subject.run.status}`);
  try {
    const scored: Score & Partial<Judged> = await scoreOf(world, metric, subject);
    const score = Math.min(1, Math.max(0, scored.score));
    const reason = scored.reason === null ? null : scored.reason.slice(0, MAX_REASON_CHARS);
    const { tokens = 0, cost_usd = 0 } = scored;
    return { result: { name, score, passed: score >= threshold, error: null, reason }, tokens, cost_usd };
  } catch (fault) {
    assertNotRetryable(fault);
    if (!isOfMetric(fault)) throw fault;
    return failed(errorMessage(fault));
  }
}

const isOfMetric = (fault: unknown): boolean =>
  fault instanceof MetricFault || fault instanceof ExpressionError || fault instanceof ComputeError;

async function scoreOf(world: MetricWorld, metric: Metric, subject: Subject): Promise<Score | Judged> {
  const value = (): Promise<Json> => valueOf(world, metric.value, subject);
  const expected = async (): Promise<Json> => {
    if (subject.expected === undefined && metric.expected === 'expected')
      throw new MetricFault('the row has no expected value');
    return valueOf(world, metric.expected, subject);
  };
  const { run } = subject;
  switch (metric.type) {
    case 'equals':
      return scoreEquals(await value(), await expected());
    case 'contains':
      return scoreContains(await value(), await expected(), metric.ignore_case);
    case 'number':
      return scoreNumber(await value(), await expected(), metric.tolerance, metric.relative);
    case 'subset':
      return scoreSubset(await value(), await expected());
    case 'schema':
      return scoreSchema(world, metric, await value());
    case 'expression':
      return graded(await valueOf(world, metric.expression, subject), 'the expression');
    case 'code':
      return scoreScript(world, metric, subject);
    case 'judge':
      return world.judge(metric, { ...subject, output: await value() });
    case 'latency':
      return scoreLimit(run.duration_ms ?? 0, metric.max_ms, 'ms');
    case 'tokens':
      return scoreLimit(run.tokens, metric.max, 'tokens');
    case 'cost':
      return scoreLimit(run.cost_usd, metric.max_usd, 'USD');
  }
}

/** The value of an expression. `expected` is null where nothing is expected. */
async function valueOf({ compute, now }: MetricWorld, source: string, subject: Subject): Promise<Json> {
  if (source === 'output') return subject.output;
  if (source === 'expected') return subject.expected ?? null;
  const roots = rootsOf(subject);
  return renderSliced(compute, compileSource(source), {
    roots: SUBJECT_NAMES,
    root: (name) => (Object.hasOwn(roots, name) ? roots[name] : undefined),
    now: now(),
    random: (bytes) => randomBytes(bytes),
  });
}

const rootsOf = ({ input, expected = null, output, run }: Subject): Record<string, Json> => ({
  input,
  expected,
  output,
  run: { ...run },
});

/** A score that an author's expression or script gives: true, false, or a number from 0 to 1. */
function graded(value: Json, what: string): Score {
  if (typeof value === 'boolean') return { score: value ? 1 : 0, reason: null };
  if (typeof value === 'number' && value >= 0 && value <= 1) return { score: value, reason: null };
  throw new MetricFault(
    `${what} must give true, false or a number from 0 to 1, not ${JSON.stringify(value).slice(0, 100)}`,
  );
}

async function scoreSchema({ compute }: MetricWorld, { schema }: MetricOf<'schema'>, value: Json): Promise<Score> {
  const { faults } = await checkSliced(compute, { schema, root: 'output' }, value);
  const [first] = faults;
  return first === undefined ? { score: 1, reason: null } : { score: 0, reason: `${first.path} ${first.message}` };
}

async function scoreScript(
  { sandbox, signal }: MetricWorld,
  { source, timeout_ms: timeoutMs }: MetricOf<'code'>,
  subject: Subject,
): Promise<Score> {
  const ran = await sandbox.run({ source, globals: rootsOf(subject), timeoutMs, signal });
  if (ran.kind === 'error') {
    if (ran.code === 'overloaded' || ran.code === 'crashed') throw new SandboxAborted(ran.message);
    throw new MetricFault(`the script failed: ${ran.message}`);
  }
  const { value } = ran;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return graded(value, 'the script');
  const { score = null, reason = null } = value;
  return { ...graded(score, 'the score of the script'), reason: typeof reason === 'string' ? reason : null };
}
