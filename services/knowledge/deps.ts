import type { App } from '../app';
import type { Call } from '../../contracts/catalogue';
import type { ChangeNotices } from './change-notices';
import type { ContentStore } from './documents/content-store';
import type { WordIndex } from './index/words';
import type { KnowledgeModels } from './models';
import type { Parsers } from '../../lib/documents/contract';
import type { Providers } from './providers';
import type { KnowledgeQuota } from './quota';
import type { VectorStore } from './vectors/contract';

/** Shared dependencies of this service; one instance per process. */
export interface KnowledgeDeps {
  readonly app: App;
  readonly models: KnowledgeModels;
  readonly contents: ContentStore;
  readonly words: WordIndex;
  readonly vectors: VectorStore;
  readonly parsers: Parsers;
  readonly providers: Providers;
  readonly quota: KnowledgeQuota;
  readonly notices: ChangeNotices;
  /** Calls other services as this service. Usable after the service has started. */
  readonly call: Call;
  readonly warn: (message: string, fault?: unknown) => void;
}
