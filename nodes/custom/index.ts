export type * from './definition';
export { CUSTOM_PREFIX } from './definition';
export { authoringSchema } from './fields';
export { customNode } from './node';
export { customPoller } from './poller';
export { readDefinition } from './read';
export { CustomTypes } from './types';
