/** Bodies that have been sent and answered, by operation. */
export type Examples = Readonly<Record<string, { readonly request?: unknown; readonly response?: unknown }>>;

export const exampleOf = (examples: Examples, operationId: string, of: 'request' | 'response'): unknown =>
  Object.hasOwn(examples, operationId) ? examples[operationId]?.[of] : undefined;
