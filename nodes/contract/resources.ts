import type { JsonObject } from '../../lib/json';
import type { StepError, Usage } from '.';

/** A connection of the tenant to an account at a provider. */
export interface NodeConnection {
  readonly id: string;
  /** The connector or OAuth provider. */
  readonly connector: string;
  /**
   * Fields of a manual connection, or `access_token` and further fields of the token response of an OAuth connection.
   */
  readonly credentials: Readonly<Record<string, string>>;
  /** Names of credentials that are not secret, such as a host or an id. Absent: all are secret. */
  readonly plain?: readonly string[];
  /** Hosts that the access token of an OAuth app may be sent to. */
  readonly hosts?: readonly string[];
}

/** When steps may use a connection. Times in milliseconds, `pausedUntil` since the epoch. */
export interface ConnectionQuota {
  readonly rate: { readonly limit: number; readonly periodMs: number } | null;
  readonly concurrency: number | null;
  /** The provider has asked to be left alone until then. */
  readonly pausedUntil: number | null;
}

/** The result of a connection lookup. `refused`: there is none with that name, or it is not valid any more. */
export type ConnectionResult =
  | {
      readonly kind: 'ready';
      readonly connection: NodeConnection;
      /** Absent: steps use it without waiting. */
      readonly quota?: ConnectionQuota;
    }
  | { readonly kind: 'refused'; readonly error: StepError };

/** A file of a run's workspace. `size` is in bytes, `sha256` in hexadecimal. */
export interface NodeFile {
  readonly path: string;
  readonly name: string;
  readonly size: number;
  readonly contentType: string;
  readonly sha256: string;
}

/** The result of a platform call. `refused`: it had no effect, with the reason. */
export type PlatformResult<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'refused'; readonly error: StepError; readonly retryable: boolean };

/** The result of a call to the file service. */
export type FileResult<T> = PlatformResult<T>;

/** The workspace of a run: files by path (see lib/file-path). Calls wait while the file service is unavailable. */
export interface NodeFiles {
  /** Stores the bytes unchanged, secrets included, and replaces the file at the path. */
  write(file: {
    readonly path: string;
    readonly content: Uint8Array;
    readonly contentType: string;
  }): Promise<FileResult<NodeFile>>;
  /** Reads a file of this run, or of another run of the tenant, of at most `maxBytes`. */
  read(request: {
    readonly path: string;
    readonly executionId?: string;
    readonly maxBytes: number;
  }): Promise<FileResult<NodeFile & { readonly content: Buffer }>>;
  /** Creates a public download link for a file of this run, valid until an instant in epoch milliseconds. */
  share(request: {
    readonly path: string;
    readonly until: number | null;
  }): Promise<FileResult<{ readonly url: string; readonly id: string }>>;
}

/** A skill at the version that a step has pinned: `hash` always leads to that content. */
export interface NodeSkill {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly version: string | null;
  readonly hash: string;
}

/** A file of a skill. `size` is in bytes; `text` is false for a binary file. */
export interface NodeSkillFile {
  readonly path: string;
  readonly size: number;
  readonly text: boolean;
}

/** A range of a text in characters. At most 131,072 characters per call, which is also the default. */
export interface TextRange {
  readonly offset?: number;
  readonly limit?: number;
}

/** Skills of the run's tenant. Calls wait while the skill service is unavailable. */
export interface NodeSkills {
  /** Pins a skill by id or name, at a version or at its current content. */
  pin(request: { readonly skill: string; readonly version?: string }): Promise<PlatformResult<NodeSkill>>;
  /** The instructions, with their total length in characters, and the list of files. */
  read(
    hash: string,
    range?: TextRange,
  ): Promise<
    PlatformResult<{ readonly text: string; readonly total: number; readonly files: readonly NodeSkillFile[] }>
  >;
  /** A file; `text` is null for a binary file. */
  readFile(
    hash: string,
    path: string,
    range?: TextRange,
  ): Promise<PlatformResult<{ readonly text: string | null; readonly total: number; readonly size: number }>>;
}

/** A search hit, with the field names of the REST API. `score` is from 0 to 1 within one result. */
export interface KnowledgeHit {
  readonly document_id: string;
  readonly document_name: string;
  readonly chunk_id: string;
  readonly text: string;
  readonly score: number;
  readonly page: number | null;
  readonly heading: string | null;
  readonly highlights: readonly { readonly start: number; readonly end: number }[];
  readonly metadata: JsonObject;
  readonly url: string | null;
}

/** A query to a knowledge base, given by id or name. */
export interface KnowledgeQuery {
  readonly base: string;
  readonly query: string;
  readonly topK?: number;
  readonly minScore?: number;
  readonly filter?: JsonObject;
  readonly rerank?: JsonObject;
}

/** Hits, best first. `mode` is `lexical` when no vectors were used. */
export interface KnowledgeResult {
  readonly hits: readonly KnowledgeHit[];
  readonly mode: 'lexical' | 'hybrid';
  readonly baseId: string;
  readonly warnings: readonly string[];
  readonly usage?: Usage;
}

/** The content of a new document: a text, a URL, or a file of the run. */
export type KnowledgeContent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'url'; readonly url: string; readonly refresh?: string }
  | { readonly kind: 'file'; readonly path: string };

/** A document to add. `id` is an idempotency key: adding it again changes nothing. */
export interface NewKnowledge {
  readonly base: string;
  readonly id: string;
  readonly name?: string;
  readonly metadata?: JsonObject;
  readonly content: KnowledgeContent;
}

/** An added document. `duplicate`: the base already had this content, and this is the existing document. */
export interface KnowledgeAdded {
  readonly documentId: string;
  readonly baseId: string;
  readonly name: string;
  readonly status: string;
  readonly chunks: number;
  readonly duplicate: boolean;
}

/** The knowledge bases of the run's tenant. Calls wait while the knowledge service is unavailable. */
export interface NodeKnowledge {
  query(question: KnowledgeQuery): Promise<PlatformResult<KnowledgeResult>>;
  add(document: NewKnowledge): Promise<PlatformResult<KnowledgeAdded>>;
}

/** Requirements for a connection. */
export interface ConnectionRequest {
  /** Accepted connectors and OAuth providers. */
  readonly connectors: readonly string[];
  /** An access token that the provider has rejected: a new one is fetched. */
  readonly refused?: string;
}
