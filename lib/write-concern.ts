/** Acknowledged by a majority and on disk. For all writes that a response confirms. */
export const DURABLE = { writeConcern: { w: 'majority', journal: true } } as const;
