import type { NodeCase } from '../../node-case';

export const URL = 'https://api.example/orders';
export const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };

/** A case in which only what is sent matters. */
export const sending = (title: string, input: NodeCase['input'], request: Record<string, unknown>): NodeCase => ({
  title,
  input: { url: URL, ...input },
  answers: [{ status: 204, headers: JSON_TYPE }],
  sends: [request],
  outcome: { kind: 'done', output: { status: 204, headers: JSON_TYPE, body: null } },
});

/** A case in which only what comes back matters. */
export const receiving = (
  title: string,
  answer: NonNullable<NodeCase['answers']>[number],
  outcome: NodeCase['outcome'],
  input: NodeCase['input'] = {},
): NodeCase => ({ title, input: { url: URL, ...input }, answers: [answer], outcome });

/** A failed step. */
export const failed = (
  message: string,
  retryable: boolean,
  retryAfterMs?: number,
  code = 'http_status',
): NodeCase['outcome'] => ({
  kind: 'fail',
  error: { code, message },
  retryable,
  ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
});
