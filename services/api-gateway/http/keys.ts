const REFUSED = new Set(['__proto__', 'constructor', 'prototype']);

/** Names that reach an object's inherited members somewhere down the line; they are dropped wherever users name keys. */
export const isRefusedKey = (key: string): boolean => REFUSED.has(key);
