export type * from './definition';
export { CUSTOM_PREFIX } from './definition';
export { authoringSchema } from './fields';
export { customNode } from './node';
export { readDefinition, type ReadDefinition } from './read';
export { type CustomType, CustomTypes } from './types';
