export type * from './definition';
export { IMPORTED_PREFIX } from './definition';
export { importedConnector } from './connector';
export { importedAction, ImportedTypes } from './types';
