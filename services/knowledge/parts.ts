import type { App } from '../app';
import type { Call } from '../catalogue';
import type { Contents } from './documents/contents';
import type { LexicalIndex } from './index/contract';
import type { KnowledgeModels } from './models';
import type { Parsers } from './parsing/contract';
import type { Providers } from './providers';
import type { Room } from './quota';
import type { VectorStore } from './vectors/contract';

/** What the parts of this service work with; made by the service, once in a process. */
export interface KnowledgeParts {
  readonly app: App;
  readonly models: KnowledgeModels;
  readonly contents: Contents;
  readonly lexical: LexicalIndex;
  readonly vectors: VectorStore;
  readonly parsers: Parsers;
  readonly providers: Providers;
  readonly room: Room;
  /** To other services, on nobody's behalf; there from the start of the service on. */
  readonly call: Call;
  readonly warn: (message: string, fault?: unknown) => void;
}
