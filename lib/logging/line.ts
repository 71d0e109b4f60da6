import { redactError, redactText, redactValue } from './redact';

/** Ids that a log line refers to. */
export interface LineIds {
  readonly request_id?: string;
  readonly execution_id?: string;
  readonly workflow_id?: string;
  readonly step_id?: string;
  readonly tenant_id?: string;
  readonly trace_id?: string;
}

const IDS = ['request_id', 'execution_id', 'workflow_id', 'step_id', 'tenant_id', 'trace_id'] as const;

/** A log line: its message and fields. */
interface LogLine {
  readonly words: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/**
 * Builds a log line from a logger's arguments: the message first, then errors, ids and other values. Ids become fields,
 * so that lines can be searched by them; credentials are redacted.
 */
export function lineOf([words, ...rest]: readonly unknown[]): LogLine {
  const err = rest.find((one) => one instanceof Error) ?? (words instanceof Error ? words : undefined);
  const ids: Record<string, unknown> = {};
  const more = rest.flatMap((one) => {
    if (one === err || one === undefined) return [];
    const left = extractIds(one, ids);
    return left === null ? [] : [redactValue(left)];
  });
  return {
    words: redactText(words instanceof Error ? words.message : String(words)),
    fields: {
      ...ids,
      ...(err === undefined ? {} : { err: redactError(err) }),
      ...(more.length > 0 ? { more } : {}),
    },
  };
}

/** Moves ids of an argument into the line; returns the rest, or null. */
function extractIds(argument: unknown, ids: Record<string, unknown>): unknown {
  if (typeof argument !== 'object' || argument === null || Object.getPrototypeOf(argument) !== Object.prototype)
    return argument;
  const left: Record<string, unknown> = { ...argument };
  for (const name of IDS) {
    const id = left[name];
    if (typeof id !== 'string' || ids[name] !== undefined) continue;
    ids[name] = redactText(id);
    delete left[name];
  }
  for (const [name, value] of Object.entries(left)) if (value === undefined) delete left[name];
  return Object.keys(left).length === 0 ? null : left;
}

/** The signatures of Moleculer's loggers. */
type Levels = Record<'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace', (...words: unknown[]) => void>;

/** A logger with these ids in every line. */
export function withIds<L extends Levels>(log: L, ids: LineIds): L {
  const say =
    (level: keyof Levels) =>
    (...words: unknown[]): void =>
      log[level](...words, ids);
  return {
    ...log,
    fatal: say('fatal'),
    error: say('error'),
    warn: say('warn'),
    info: say('info'),
    debug: say('debug'),
    trace: say('trace'),
  };
}
