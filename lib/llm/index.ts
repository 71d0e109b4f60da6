/** The door of the language models: one interface over several providers. What is not named here is private. */
export { type LlmAsked, type LlmDoor, openModel, openProvider } from './access';
export { complete, embed, type LlmWorld } from './client';
export { type LlmConfig, type PlatformModel, platformRules, readLlm } from './config';
export { LlmError } from './error';
export { type LlmModel, listModels } from './list';
export { costOf, listedAs, loadPrices, type Price } from './prices';
export * from './types';
