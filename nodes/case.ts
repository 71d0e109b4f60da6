import type { Json, JsonObject } from '../lib/json';
import type { EmittedSignal, KnowledgeFound, NodeRun, Outcome } from './contract';

/** What the outside world answers in a case, in the order of the node's requests; an Error is thrown at the node. */
export type ScriptedAnswer =
  | Error
  | { status: number; headers?: Record<string, string | string[]>; body?: string | Buffer; downgraded?: boolean };

/** A skill of the tenant in a case: its files by path; null stands for what is no text. */
export interface CaseSkill {
  readonly description: string;
  readonly version?: string;
  readonly instructions: string;
  readonly files?: Readonly<Record<string, string | null>>;
}

/** One example of a node type: given this input and this world, this is what becomes of it. Runs in the node suite. */
export interface NodeCase {
  title: string;
  input: JsonObject;
  /** What the node finds in the run. */
  run?: Partial<NodeRun>;
  answers?: ScriptedAnswer[];
  /** Members that the node's requests must have, in order. */
  sends?: Record<string, unknown>[];
  /** Files of the run's workspace, by their paths. */
  files?: Readonly<Record<string, { readonly content: Buffer; readonly contentType: string }>>;
  /** Skills of the tenant, by name. */
  skills?: Readonly<Record<string, CaseSkill>>;
  /** Knowledge bases by name, and what each answers to any question. */
  knowledge?: Readonly<Record<string, Partial<KnowledgeFound>>>;
  /** Files that the node must write. */
  writes?: { path: string; content: Buffer; contentType: string }[];
  /** Signals that the node must send, in order. */
  emits?: EmittedSignal[];
  /** Lines that the node must log, in order. */
  logs?: { level: string; message: string; data?: Json }[];
  /** Exact, but for an error's message, of which the given text must be a part. */
  outcome: Outcome;
}

/** The instant at which every case begins: 2030-01-01T00:00:00Z. */
export const CASE_NOW = Date.UTC(2030, 0, 1);

/** A value that the suite's run regards as secret; messages must never show it. */
export const CASE_SECRET = 's3cr3t-v4lue';

/** The idempotency key of every case. */
export const CASE_KEY = 'case-key';
