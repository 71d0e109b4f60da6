import type { Json } from '../../../lib/json';
import { CASE_KEY, CASE_NOW, CASE_SECRET, type ScriptedAnswer } from '../../nodes/node-case';
import type { EmittedSignal, NodeContext, NodeCapabilities } from '../../../nodes/contract';
import { inlineCompute } from '../../support/inline-compute';
import { type FakeFile, fakeFiles } from '../../support/files';
import { fakeSkills } from '../../support/skills';
import { FakeKnowledge } from '../../support/knowledge';
import { Notes } from './notes';

/** A context that records the calls of its node and answers its requests from a script. */
export interface RecordingContext extends NodeContext {
  readonly sent: Record<string, unknown>[];
  readonly emitted: EmittedSignal[];
  readonly logged: { level: string; message: string; data?: Json }[];
  readonly workspace: Map<string, FakeFile>;
  readonly knowledgeBases: FakeKnowledge;
}

const missing = (what: string) => (): never => {
  throw new Error(`the suite's context has no ${what}; a test that needs it gives it`);
};

/** The capabilities of a minimal process; a missing one throws when it is used. */
export const BARE_CAPABILITIES: NodeCapabilities = {
  sandbox: { run: missing('sandbox') },
  compute: inlineCompute,
  net: { connect: missing('net') },
  connectorUrls: new Map(),
  models: { platform: () => null, prices: [], http: { request: missing('models') } },
  mail: null,
};

export function createContext(
  input: NodeContext['input'],
  answers: readonly ScriptedAnswer[] = [],
  overrides: Partial<NodeContext> = {},
): RecordingContext {
  const left = [...answers];
  const sent: RecordingContext['sent'] = [];
  const emitted: EmittedSignal[] = [];
  const logged: RecordingContext['logged'] = [];
  const notes = new Notes();
  const workspace = new Map<string, FakeFile>();
  const knowledgeBases = new FakeKnowledge();
  const ctx: RecordingContext = {
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
    capabilities: BARE_CAPABILITIES,
    run: () => ({ trigger: {}, steps: {}, loop: null }),
    once: notes.once,
    checkpoint: notes.noted,
    keyOf: (part) => `${CASE_KEY}/${part}`,
    nodeType: async () => undefined,
    secrets: async () => ({}),
    connection: async (ref) => ({
      kind: 'refused',
      error: { code: 'unknown_connection', message: `There is no connection ${ref}` },
    }),
    files: fakeFiles(workspace),
    knowledge: knowledgeBases,
    knowledgeBases,
    skills: fakeSkills(),
    within: (part, inner) => ({ ...ctx, input: inner, idempotencyKey: ctx.keyOf(part) }),
    emit: async (signal) => {
      emitted.push(signal);
      return { kind: 'sent', started: [], refused: [] };
    },
    stream: null,
    log: (level, message, data) => void logged.push(data === undefined ? { level, message } : { level, message, data }),
    redact: (text) => text.replaceAll(CASE_SECRET, '***'),
    workspace,
    sent,
    emitted,
    logged,
    ...overrides,
  };
  return ctx;
}
