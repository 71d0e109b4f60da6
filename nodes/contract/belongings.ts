import type { JsonObject } from '../../lib/json';
import type { StepError, Usage } from '.';

/** A connection of the tenant: an account at a provider, and what it shows there. */
export interface NodeConnection {
  readonly id: string;
  /** Which connector or OAuth provider it is for. */
  readonly connector: string;
  /** Fields of a manual connection; `access_token`, and what the provider gave beside it, of an OAuth one. */
  readonly credentials: Readonly<Record<string, string>>;
  /** Names of credentials that are no secrets, such as a host or an id; absent: all are. */
  readonly plain?: readonly string[];
}

/** What became of asking for a connection. `refused`: there is none of that name, or it counts no more. */
export type Connected =
  | { readonly kind: 'ready'; readonly connection: NodeConnection }
  | { readonly kind: 'refused'; readonly error: StepError };

/** A file of a run's workspace. `size` is in bytes, `sha256` in hexadecimal. */
export interface NodeFile {
  readonly path: string;
  readonly name: string;
  readonly size: number;
  readonly contentType: string;
  readonly sha256: string;
}

/** What became of a wish to a service of ours. `refused`: it has not happened, and why. */
export type Answered<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'refused'; readonly error: StepError; readonly retryable: boolean };

/** What became of a wish about files. */
export type FileAnswer<T> = Answered<T>;

/** The workspace of a run: files by their paths (see lib/file-path). Waits while nobody can tell or keep them. */
export interface NodeFiles {
  /** Keeps the bytes as they are, secrets too, instead of what was at the path. */
  write(file: {
    readonly path: string;
    readonly content: Uint8Array;
    readonly contentType: string;
  }): Promise<FileAnswer<NodeFile>>;
  /** A file of this run, or of another one of its tenant, of at most so many bytes. */
  read(asked: {
    readonly path: string;
    readonly executionId?: string;
    readonly maxBytes: number;
  }): Promise<FileAnswer<NodeFile & { readonly content: Buffer }>>;
  /** Makes a file of this run downloadable by whoever has the address, until an instant in epoch milliseconds. */
  share(asked: {
    readonly path: string;
    readonly until: number | null;
  }): Promise<FileAnswer<{ readonly url: string; readonly id: string }>>;
}

/** A skill of the tenant as a step has taken it up: whatever becomes of the skill, `hash` leads to what it was then. */
export interface NodeSkill {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly version: string | null;
  readonly hash: string;
}

/** A file of a skill. `size` is in bytes; `text`: it can be read. */
export interface NodeSkillFile {
  readonly path: string;
  readonly size: number;
  readonly text: boolean;
}

/** Where of a text to begin, and how much of it to give, in characters; at most 131,072 at once, which is also the default. */
export interface TextRange {
  readonly offset?: number;
  readonly limit?: number;
}

/** Skills of the run's tenant. Waits while nobody can tell. */
export interface NodeSkills {
  /** By id or name; in a version, or else as it is now. */
  pin(asked: { readonly skill: string; readonly version?: string }): Promise<Answered<NodeSkill>>;
  /** Instructions, of so many characters in all, and the files beside them. */
  read(
    hash: string,
    range?: TextRange,
  ): Promise<Answered<{ readonly text: string; readonly total: number; readonly files: readonly NodeSkillFile[] }>>;
  /** A file; `text` is null where it is none. */
  readFile(
    hash: string,
    path: string,
    range?: TextRange,
  ): Promise<Answered<{ readonly text: string | null; readonly total: number; readonly size: number }>>;
}

/** A part of a document that answers a question, in the words of the REST interface. `score`: from 0 to 1, within one answer. */
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

/** A question to a knowledge base, by its id or name. */
export interface KnowledgeQuestion {
  readonly base: string;
  readonly query: string;
  readonly topK?: number;
  readonly minScore?: number;
  readonly filter?: JsonObject;
  readonly rerank?: JsonObject;
}

/** The best first. `mode`: `lexical` is by words alone. */
export interface KnowledgeFound {
  readonly hits: readonly KnowledgeHit[];
  readonly mode: 'lexical' | 'hybrid';
  readonly baseId: string;
  readonly warnings: readonly string[];
  readonly usage?: Usage;
}

/** What a knowledge base is given: a text, an address, or a file of the run. */
export type KnowledgeContent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'url'; readonly url: string; readonly refresh?: string }
  | { readonly kind: 'file'; readonly path: string };

/** A document for a base; `id` says which it is, so that adding it again changes nothing. */
export interface NewKnowledge {
  readonly base: string;
  readonly id: string;
  readonly name?: string;
  readonly metadata?: JsonObject;
  readonly content: KnowledgeContent;
}

/** A document as it was added. `duplicate`: the base had this content already, and this is the document that has it. */
export interface KnowledgeAdded {
  readonly documentId: string;
  readonly baseId: string;
  readonly name: string;
  readonly status: string;
  readonly chunks: number;
  readonly duplicate: boolean;
}

/** The knowledge bases of the run's tenant. Waits while nobody can tell. */
export interface NodeKnowledge {
  query(question: KnowledgeQuestion): Promise<Answered<KnowledgeFound>>;
  add(document: NewKnowledge): Promise<Answered<KnowledgeAdded>>;
}

/** Which connections will do, and which of its tokens will not. */
export interface ConnectionWanted {
  /** Connectors and OAuth providers, any of which it may be for. */
  readonly connectors: readonly string[];
  /** An access token that the provider has refused: another one is wanted. */
  readonly refused?: string;
}
