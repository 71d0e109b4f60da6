import type { Json, JsonObject } from '../../../lib/json';
import type { Outcome } from '../../../nodes/contract';

/** A request as the provider must get it. Method, path, query and body exactly; of headers, those that are named. */
export interface ExpectedRequest {
  readonly method: string;
  /** As it is on the wire, without the query; behind the base. */
  readonly path: string;
  /** Decoded; a list where a name is repeated. Absent: no query. */
  readonly query?: Readonly<Record<string, string | readonly string[]>>;
  /** Lower-case names; null: must not be there. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** A body of JSON; or its very text, where it is a string. Absent: no body. */
  readonly body?: Json;
  /** Members of a form, decoded, instead of `body`. */
  readonly form?: Readonly<Record<string, string | readonly string[]>>;
}

/** What the provider says. `{{server}}` in texts stands for its URL. */
export interface CaseAnswer {
  /** 200 unless it says so. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A body of JSON, with its content type. */
  readonly json?: Json;
  /** Any other body; `content-type` is text/plain unless the headers say so. */
  readonly text?: string;
  /** The same in base64. */
  readonly base64?: string;
  /** No answer: the connection ends after the request was read. */
  readonly cut?: true;
}

/** One example of an action: what is asked of the provider, what it answers, what becomes of the step. */
export interface ConnectorCase {
  readonly title: string;
  readonly action: string;
  /** Of the step, without `connection`. */
  readonly input: JsonObject;
  /** Of the connection; absent: the step names none. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** Of the same connection once the provider has refused the first; absent: there are no others. */
  readonly renewed?: Readonly<Record<string, string>>;
  /** In their order; the provider gets no others. */
  readonly expects: readonly ExpectedRequest[];
  /** One for each request. */
  readonly answers: readonly CaseAnswer[];
  /** Exact, but for an error's message, of which the given text must be a part. */
  readonly outcome: Outcome;
}
