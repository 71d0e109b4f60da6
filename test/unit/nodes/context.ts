import type { Json } from '../../../lib/json';
import { CASE_KEY, CASE_NOW, CASE_SECRET, type ScriptedAnswer } from '../../../nodes/case';
import type { NodeContext } from '../../../nodes/contract';

/** A context that records what its node does and answers its requests from a script. */
export interface RecordingContext extends NodeContext {
  readonly sent: Record<string, unknown>[];
  readonly logged: { level: string; message: string; data?: Json }[];
}

export function createContext(
  input: NodeContext['input'],
  answers: readonly ScriptedAnswer[] = [],
  overrides: Partial<NodeContext> = {},
): RecordingContext {
  const left = [...answers];
  const sent: RecordingContext['sent'] = [];
  const logged: RecordingContext['logged'] = [];
  return {
    input,
    signal: new AbortController().signal,
    idempotencyKey: CASE_KEY,
    attempt: 1,
    now: CASE_NOW,
    http: {
      async request(request) {
        sent.push({ ...request });
        const answer = left.shift();
        if (answer === undefined) throw new Error('the node sent more requests than its case has answers for');
        if (answer instanceof Error) throw answer;
        const { status, headers = {}, body = '', downgraded = false } = answer;
        return { status, headers, body: Buffer.from(body), url: request.url, downgraded };
      },
    },
    log: (level, message, data) => void logged.push(data === undefined ? { level, message } : { level, message, data }),
    mask: (text) => text.replaceAll(CASE_SECRET, '***'),
    sent,
    logged,
    ...overrides,
  };
}
