/** Thrown by the pure halves of a connector, with what is wrong with input or account, in words for its author. */
export class Unusable extends Error {}
