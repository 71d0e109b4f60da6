/** The door to BSON bytes: whole documents, and single values out of raw documents. */
export { decode, decodeValue } from './decode';
export { encode } from './encode';
export { findElement, type RawPath, rawPath, readField, readParts, readPath } from './raw';
