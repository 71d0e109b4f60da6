/** Public interface of the language models: one interface for several providers. */
export { type LlmRequestedModel, type LlmModelAccess, openModel, openProvider } from './access';
export { complete, embed } from './client';
export { type LlmConfig, type PlatformModel, platformRules } from './config';
export { LlmError } from './error';
export { listModels } from './list';
export { costOf, listedAs, loadPrices, type Price } from './prices';
export * from './types';
