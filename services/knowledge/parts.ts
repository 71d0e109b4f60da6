import type { App } from '../app';
import type { Call } from '../../contracts/catalogue';
import type { Contents } from './documents/contents';
import type { WordIndex } from './index/words';
import type { KnowledgeModels } from './models';
import type { Parsers } from '../../lib/documents/contract';
import type { Providers } from './providers';
import type { KnowledgeQuota } from './quota';
import type { VectorStore } from './vectors/contract';

/** What the parts of this service work with; made by the service, once in a process. */
export interface KnowledgeParts {
  readonly app: App;
  readonly models: KnowledgeModels;
  readonly contents: Contents;
  readonly words: WordIndex;
  readonly vectors: VectorStore;
  readonly parsers: Parsers;
  readonly providers: Providers;
  readonly quota: KnowledgeQuota;
  /** Calls other services as the service itself; set when the service starts. */
  readonly call: Call;
  readonly warn: (message: string, fault?: unknown) => void;
}
