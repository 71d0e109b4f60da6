import type { Json, JsonObject } from '../../lib/json';
import type { EmittedSignal, KnowledgeResult, NodeRun, Outcome } from '../../nodes/contract';

/** A scripted response, in the order of the node's requests. An Error is thrown at the node. */
export type ScriptedAnswer =
  | Error
  | { status: number; headers?: Record<string, string | string[]>; body?: string | Buffer; downgraded?: boolean };

/** A skill of the tenant: files by path; null marks a binary file. */
export interface CaseSkill {
  readonly description: string;
  readonly version?: string;
  readonly instructions: string;
  readonly files?: Readonly<Record<string, string | null>>;
}

/** A test case of a node type. It runs in the node suite. */
export interface NodeCase {
  title: string;
  input: JsonObject;
  /** Parts of the run that the node can read. */
  run?: Partial<NodeRun>;
  answers?: ScriptedAnswer[];
  /** Members of the expected requests, in order. */
  sends?: Record<string, unknown>[];
  /** Files of the run's workspace, by their paths. */
  files?: Readonly<Record<string, { readonly content: Buffer; readonly contentType: string }>>;
  /** Skills of the tenant, by name. */
  skills?: Readonly<Record<string, CaseSkill>>;
  /** Knowledge bases by name, with the result of every query. */
  knowledge?: Readonly<Record<string, Partial<KnowledgeResult>>>;
  /** Files that the node must write. */
  writes?: { path: string; content: Buffer; contentType: string }[];
  /** Signals that the node must send, in order. */
  emits?: EmittedSignal[];
  /** Lines that the node must log, in order. */
  logs?: { level: string; message: string; data?: Json }[];
  /** The expected outcome. The message of an error only has to contain the text given here. */
  outcome: Outcome;
}

/** The instant at which every case begins: 2030-01-01T00:00:00Z. */
export const CASE_NOW = Date.UTC(2030, 0, 1);

/** A secret value of the run; no message may show it. */
export const CASE_SECRET = 's3cr3t-v4lue';

/** The idempotency key of every case. */
export const CASE_KEY = 'case-key';
