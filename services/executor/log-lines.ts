import { addressOf, iterationOf, stepIdOf } from '../../dsl';
import { redactPlaceholders } from '../../runtime/core/secrets/secret-redactor';
import type { LogBatch, LoggedLine } from '../../runtime/ports/log-store';
import type { RunLogLine } from '../../contracts/executions/views';

const DEFAULT_LINES = 200;

/** Which lines are read. */
interface LineFilter {
  /** The position of the last known line. */
  readonly after?: number;
  /** The id of a step, or its address in a loop (`charge.17`). */
  readonly step_id?: string;
  readonly path?: string;
  readonly attempt?: number;
  readonly limit?: number;
}

interface LinesRead {
  readonly data: RunLogLine[];
  readonly next_after: number;
  readonly more: boolean;
}

/** The lines of batches that match, after a position. Positions count all lines of the run from 1. */
export function linesIn(batches: readonly LogBatch[], filter: LineFilter): LinesRead {
  const { after = 0, limit = DEFAULT_LINES } = filter;
  const data: RunLogLine[] = [];
  let position = after;
  for (const { size, lines } of batches) {
    for (const [index, line] of lines.entries()) {
      const at = size.lines - lines.length + index + 1;
      if (at <= after) continue;
      if (isWanted(line, filter)) {
        if (data.length === limit) return { data, next_after: position, more: true };
        data.push(lineOf(at, line));
      }
      position = at;
    }
  }
  return { data, next_after: position, more: false };
}

const isWanted = ({ path, attempt }: LoggedLine, filter: LineFilter): boolean =>
  (filter.path === undefined || filter.path === path) &&
  (filter.attempt === undefined || filter.attempt === attempt) &&
  (filter.step_id === undefined || [stepIdOf(path), addressOf(path)].includes(filter.step_id));

const lineOf = (position: number, { path, attempt, at, level, message, data }: LoggedLine): RunLogLine => ({
  position,
  step_id: stepIdOf(path),
  path,
  iteration: iterationOf(path),
  attempt,
  at: new Date(at).toISOString(),
  level,
  message,
  ...(data === undefined ? {} : { data: redactPlaceholders(data) }),
});
