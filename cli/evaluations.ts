import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../lib/json';
import { CliError, type ExitName } from './exits';
import type { Session } from './session';
import { paint, type Painted } from './terminal';
import { objectAt, objectsAt, textAt } from './workflows';

export const evaluationPath = (id: string): string => `/api/v1/evaluations/${encodeURIComponent(id)}`;

const POLL_MS = 1_000;
/** Errors after which the server may answer again, such as those of a restart. */
const MAX_FAILURES = 30;

const isActive = (evaluation: JsonObject): boolean => evaluation.status === 'queued' || evaluation.status === 'running';

/** Waits for the end of an evaluation, with its progress in the last line of a terminal. */
export async function waitForEnd({ client, world }: Session, id: string): Promise<JsonObject> {
  for (let failures = 0; ; ) {
    try {
      const evaluation = await client.call('GET', evaluationPath(id));
      failures = 0;
      world.err.status(isActive(evaluation) ? progressOf(evaluation) : '');
      if (!isActive(evaluation)) return evaluation;
    } catch (fault) {
      failures += 1;
      if (!(fault instanceof CliError) || fault.exit !== 'unreachable' || failures >= MAX_FAILURES) throw fault;
    }
    await sleep(POLL_MS, undefined, { signal: world.signal }).catch((cause: unknown) => {
      throw new CliError('interrupted', 'interrupted; the evaluation goes on', { cause });
    });
  }
}

const progressOf = (evaluation: JsonObject): string => {
  const { done = 0, total = 0 } = objectAt(evaluation, 'progress');
  return `${String(done)} of ${String(total)} rows, score ${share(objectAt(evaluation, 'summary').score)}`;
};

/** A share as a percentage; a dash for none. */
export const share = (value: unknown): string => (typeof value === 'number' ? `${(value * 100).toFixed(1)}%` : '-');

/** A p value or a difference. */
export const decimal = (value: unknown): string => (typeof value === 'number' ? value.toFixed(3) : '-');

export const statusWord = (evaluation: JsonObject): Painted => {
  const status = textAt(evaluation, 'status');
  if (evaluation.passed === false) return paint('red', status === 'completed' ? 'gates failed' : status);
  if (status === 'completed') return paint('green', evaluation.passed === true ? 'passed' : status);
  return paint(isActive(evaluation) ? 'yellow' : 'red', status);
};

/** Success: complete, and no gate failed. */
export const exitOf = (evaluation: JsonObject): ExitName =>
  evaluation.status === 'completed' && evaluation.passed !== false ? 'ok' : 'no';

/** Prints an evaluation: its scores, and which gates passed. */
export function show({ world: { out } }: Session, evaluation: JsonObject): void {
  const summary = objectAt(evaluation, 'summary');
  const { done = 0, total = 0 } = objectAt(evaluation, 'progress');
  out.line(textAt(evaluation, 'name'), '  ', statusWord(evaluation));
  const error = textAt(evaluation, 'error');
  if (error !== '') out.line('error: ', error);
  out.line(
    `${String(done)} of ${String(total)} rows, ${textAt(summary, 'passed')} passed, ${textAt(summary, 'run_failures')} runs failed, ${textAt(summary, 'errors')} with errors`,
  );
  out.line(`score ${share(summary.score)}, ${textAt(summary, 'tokens')} tokens, $${textAt(summary, 'cost_usd')}`);
  out.table(
    ['METRIC', 'MEAN', 'PASSED', 'ERRORS'],
    objectsAt(summary, 'metrics').map((metric) => [
      textAt(metric, 'name'),
      share(metric.mean),
      share(metric.pass_rate),
      textAt(metric, 'errors'),
    ]),
  );
  for (const gate of objectsAt(evaluation, 'gates')) {
    const word = gate.passed === null ? 'open' : gate.passed === true ? 'passed' : 'failed';
    out.line(
      'gate ',
      paint(word === 'passed' ? 'green' : word === 'failed' ? 'red' : 'yellow', word),
      `: ${textAt(gate, 'gate')} (${textAt(gate, 'value') || 'no value'})`,
    );
  }
}
