/** A connection's name; what else is wrong with it is told in words (see store). */
export const nameParam = { type: 'string', trim: true, min: 1, max: 100, optional: true } as const;
/** An id as routes bring it. */
export const idParam = { type: 'string', min: 1, max: 200 } as const;
