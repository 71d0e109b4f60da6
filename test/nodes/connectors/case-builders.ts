import type { Json, JsonObject } from '../../../lib/json';
import { asOutput } from '../../../nodes/outcome';
import type { CaseAnswer, ConnectorCase, ExpectedRequest } from './connector-case';

/** A request as it is on the wire, `GET /user?page=2`, and what it carries; `query` may be written apart. */
export type Line = string | readonly [string, Omit<ExpectedRequest, 'method' | 'path'>?];

/** What becomes of a step that fails: code, a part of the message, and milliseconds to wait where it may be tried again. */
interface Failing {
  readonly code: string;
  readonly message: string;
  readonly retryable?: boolean;
  readonly retryAfterMs?: number;
}

const failed = ({ code, message, retryable = false, retryAfterMs }: Failing): ConnectorCase['outcome'] => ({
  kind: 'fail',
  error: { code, message },
  retryable,
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});

function parametersOf(text: string): NonNullable<ExpectedRequest['query']> {
  const parameters = new URLSearchParams(text);
  return Object.fromEntries(
    Array.from(new Set(parameters.keys()), (name) => {
      const values = parameters.getAll(name);
      return [name, values.length === 1 ? (values[0] as string) : values];
    }),
  );
}

/** Makers of cases of one connector: the account, and the headers that each request must have. */
export function casesOf(
  credentials: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string | null>>,
) {
  const expected = (line: Line): ExpectedRequest => {
    const [text, rest = {}] = typeof line === 'string' ? [line] : line;
    const [method = '', target = ''] = text.split(' ');
    const [path = '', query] = target.split('?');
    return {
      method,
      path,
      ...(query === undefined ? {} : { query: parametersOf(query) }),
      ...rest,
      headers: { ...headers, ...rest.headers },
    };
  };
  const one = (
    [action, title]: readonly [string, string],
    input: JsonObject,
    lines: readonly Line[],
    answers: readonly CaseAnswer[],
    outcome: ConnectorCase['outcome'],
  ): ConnectorCase => ({ title, action, input, credentials, expects: lines.map(expected), answers, outcome });

  return {
    /** One exchange; the output is the answer itself unless it is given. */
    gives: (
      subject: readonly [string, string],
      input: JsonObject,
      line: Line,
      answer: Json,
      output: JsonObject = asOutput(answer),
    ): ConnectorCase =>
      one(subject, input, [line], [answer === null ? { status: 204 } : { json: answer }], { kind: 'done', output }),

    /** An exchange for each page. */
    pages: (
      subject: readonly [string, string],
      input: JsonObject,
      exchanges: readonly (readonly [Line, CaseAnswer])[],
      items: Json[],
      more = false,
    ): ConnectorCase =>
      one(
        subject,
        input,
        exchanges.map(([line]) => line),
        exchanges.map(([, answer]) => answer),
        { kind: 'done', output: { items, count: items.length, more } },
      ),

    /** A list of one page. */
    page: (
      subject: readonly [string, string],
      input: JsonObject,
      line: Line,
      answer: Json,
      items: Json[],
      more = false,
    ): ConnectorCase =>
      one(subject, input, [line], [{ json: answer }], { kind: 'done', output: { items, count: items.length, more } }),

    /** Several exchanges, of an action that is more than one. */
    talks: (
      subject: readonly [string, string],
      input: JsonObject,
      exchanges: readonly (readonly [Line, CaseAnswer])[],
      outcome: { output: JsonObject } | { failing: Failing },
    ): ConnectorCase =>
      one(
        subject,
        input,
        exchanges.map(([line]) => line),
        exchanges.map(([, answer]) => answer),
        'failing' in outcome ? failed(outcome.failing) : { kind: 'done', output: outcome.output },
      ),

    /** One exchange that goes wrong. */
    fails: (
      subject: readonly [string, string],
      input: JsonObject,
      line: Line,
      answer: CaseAnswer,
      failing: Failing,
    ): ConnectorCase => one(subject, input, [line], [answer], failed(failing)),
  };
}

/** When the provider of a case answers, and the same in seconds since 1970. */
export const ANSWERED = { date: 'Tue, 01 Jan 2030 00:00:00 GMT' };
export const ANSWERED_SECONDS = 1_893_456_000;
